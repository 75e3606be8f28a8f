# What pleach bench ycsb --rivals measures beside pleach's structures. None of it is required, and none is in a library
# of pleach's.

target_sources(pleach_tool PRIVATE tools/rivals/rivals.c tools/rivals/rival_sorted.c)
