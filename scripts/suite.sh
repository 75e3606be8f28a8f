# Sourced by scripts/test and its kin: runs programs, adds up their closing lines, and cannot lose one.
#
# Every program must end with exit status 0 and print a line "N passed, N failed" with N passed above 0. A program that
# does anything else (crashes, hangs, was not built, ran no case) counts as a failure.
#
# As many programs run at a time as there are CPUs (JOBS sets another number); each has a log of its own, and what is
# told of them comes in the order in which they began. PLEACH_TEST_TIMEOUT is in seconds, for one program.

passed=0
failed=0
failures=()
suite_name=
suite_begin=0
suite_cpu=0
limit=${PLEACH_TEST_TIMEOUT:-900}
slots=${JOBS:-$(nproc)}
ticks=$(getconf CLK_TCK)

# What was begun, in order: name, log, and 1 where it has ended; the first `jobs_told` were told of. `running` is by
# process.
job_names=()
job_logs=()
job_ended=()
jobs_told=0
running=()

# children_ticks SHELL: sets children_ticks to what the children of that shell which have ended took of all CPUs.
children_ticks() {
    local fields
    read -ra fields <"/proc/$1/stat"
    children_ticks=$((fields[15] + fields[16]))
}

suite_took() {
    children_ticks $$
    printf '%d s, %d s of CPU' $((SECONDS - suite_begin)) $(((children_ticks - suite_cpu) / ticks))
}

# suite FOLDER TITLE: a heading; what follows keeps its output in FOLDER/test-logs.
suite() {
    end_suite
    suite_name=$2
    suite_begin=$SECONDS
    children_ticks $$
    suite_cpu=$children_ticks
    logs=$1/test-logs
    mkdir -p "$logs"
    printf '\n== %s\n' "$suite_name"
}

end_suite() {
    settle
    if [ -n "$suite_name" ]; then
        printf '   %s\n' "$(suite_took)"
    fi
    suite_name=
}

fail() { # NAME WHY
    failed=$((failed + 1))
    failures+=("$suite_name: $1: $2")
    printf '   %-32s FAILED: %s\n' "$1" "$2"
}

# build FOLDER [CMAKE OPTION...]: 1 if it did not build, which is a failure.
build() {
    if ! scripts/build "$@" </dev/null >"$logs/build.log" 2>&1; then
        tail -n 60 "$logs/build.log"
        fail build "see $logs/build.log"
        return 1
    fi
    grep -E 'warning( #[^:]*)?: ' "$logs/build.log" | sort -u || true
    printf '   %-32s %s\n' built "$(suite_took)"
}

# count_checked LOG: adds up what programs say they have checked.
checked=(0 0 0 0) # schedules, operations, choice points, histories
count_checked() {
    local sums
    sums=$(sed -nE \
        -e 's/^sim: ([0-9]+) sched[a-z]*, ([0-9]+) oper[a-z]*, ([0-9]+) choice[a-z ]*, ([0-9]+) hist.*/\1 \2 \3 \4/p' \
        -e 's/^checked: ([0-9]+) [a-z ]* ([0-9]+) choice points, ([0-9]+) hist.*, ([0-9]+) oper.*/\1 \4 \2 \3/p' \
        -e 's/^checked ([0-9]+) histories.*/0 0 0 \1/p' \
        -e 's/^[a-z_]+: ([0-9]+) operations checked with .*/0 \1 0 0/p' \
        -e 's/^stress: ([0-9]+) operations, .*/0 \1 0 0/p' "$1" |
        awk '{ for (i = 1; i <= 4; i++) sum[i] += $i } END { printf "%d %d %d %d", sum[1], sum[2], sum[3], sum[4] }')
    local i=0 sum
    for sum in $sums; do
        checked[i]=$((checked[i] + sum))
        i=$((i + 1))
    done
}

# run NAME COMMAND...: begins it, as soon as there is a slot. NAME is a program's only name in its suite.
run() {
    local name=$1 log=$logs/$1.log
    shift
    while [ ${#running[@]} -ge "$slots" ]; do
        await_one
    done
    rm -f "$log.end"
    watch "$log" "$@" &
    running[$!]=${#job_names[@]}
    job_ended+=(0)
    job_names+=("$name")
    job_logs+=("$log")
}

# alone NAME COMMAND...: the same, with nothing beside it: for what measures time, or takes all CPUs itself.
alone() {
    settle
    run "$@"
    settle
}

# settle: waits for all that was begun.
settle() {
    while [ ${#running[@]} -gt 0 ]; do
        await_one
    done
}

# watch LOG COMMAND...: in a shell of its own. Leaves the exit status, seconds and seconds of CPU in LOG.end.
watch() {
    local log=$1 status begin=$SECONDS
    shift
    exec </dev/null >"$log" 2>&1
    timeout -k 10 "$limit" "$@" & # a process group of its own, which it ends as a whole
    # shellcheck disable=SC2064 # the process that is known now
    trap "kill $!" TERM
    wait $!
    status=$?
    children_ticks $BASHPID
    echo "$status $((SECONDS - begin)) $((children_ticks / ticks))" >"$log.end"
}

await_one() {
    local process
    wait -n
    for process in "${!running[@]}"; do # whichever it was, and whatever ended it
        if ! kill -0 "$process" 2>/dev/null; then
            job_ended[running[process]]=1
            unset "running[process]"
        fi
    done
    while [ "$jobs_told" -lt ${#job_names[@]} ] && [ "${job_ended[jobs_told]}" -eq 1 ]; do
        tell "${job_names[jobs_told]}" "${job_logs[jobs_told]}"
        jobs_told=$((jobs_told + 1))
    done
}

# tell NAME LOG: counts a program that has ended.
tell() {
    local name=$1 log=$2 status=lost seconds=0 cpu=0 line why=
    [ -e "$log.end" ] && read -r status seconds cpu <"$log.end"
    line=$(grep -E '^[0-9]+ passed, [0-9]+ failed$' "$log" | tail -n 1)
    if [ -z "$line" ]; then
        why="no closing line, exit status $status"
    else
        local good=${line%% *} bad=${line#*, }
        bad=${bad%% *}
        passed=$((passed + good))
        if [ "$bad" -gt 0 ]; then
            failed=$((failed + bad - 1)) # fail adds the last
            why=$line
        elif [ "$status" != 0 ]; then
            why="$line, but exit status $status"
        elif [ "$good" -eq 0 ]; then
            why="ran no case"
        fi
    fi
    if [ "$status" = 124 ] || [ "$status" = 137 ]; then
        why="${why:+$why; }stopped after $limit s"
    fi
    count_checked "$log"
    if [ -n "$why" ]; then
        tail -n 60 "$log"
        fail "$name" "$why, see $log"
    else
        printf '   %-32s %s (%d s, %d s of CPU)\n' "$name" "$line" "$seconds" "$cpu"
    fi
}

# Nothing that was begun outlives the script.
stop_all() {
    local process
    for process in "${!running[@]}"; do
        kill "$process" 2>/dev/null
    done
}
trap stop_all EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

# Prints the sum as the last line; the answer is the script's exit status.
finish() {
    end_suite
    if [ ${#failures[@]} -gt 0 ]; then
        printf '\nfailed:\n'
        printf '   %s\n' "${failures[@]}"
    elif [ "$passed" -eq 0 ]; then
        failed=1
    fi
    printf '\nchecked: %d simulated schedules with %d choice points, %d histories, %d operations\n' \
        "${checked[0]}" "${checked[2]}" "${checked[3]}" "${checked[1]}"
    printf '%d passed, %d failed\n' "$passed" "$failed"
    [ "$failed" -eq 0 ]
}

# The test programs, by their sources: those that need no GPU, and those that need one.
cpu_tests() {
    local source
    for source in tests/*/test_*.c; do
        case $source in
        *_cuda.c) ;;
        *) basename "$source" .c ;;
        esac
    done
}

cuda_tests() {
    local source
    for source in tests/*/test_*_cuda.c tests/*/test_*.cu; do
        source=${source##*/}
        echo "${source%.*}"
    done
}

# Those of cpu_tests that take --device, by name or through the tests' harness, and so run on a GPU as well.
device_tests() {
    local name
    for name in $(cpu_tests); do
        if grep -q -e '--device' -e 'run_cases(' -e 'run_graph_cases(' tests/*/"$name.c"; then
            echo "$name"
        fi
    done
}

# Those of cpu_tests that work on maps, for which how these are made and searched makes a difference.
map_tests() {
    local name
    for name in $(cpu_tests); do
        case $name in
        test_map_* | test_batch* | test_index | test_queue | test_file_format | test_wide_keys* | \
            test_skiplist | test_skiplist_threads)
            echo "$name"
            ;;
        esac
    done
}

# Those of device_tests whose maps can be skiplists (PLEACH_TEST_STRUCTURE).
skiplist_tests() {
    local name
    for name in $(device_tests); do
        case $name in
        test_map_* | test_file_format) grep -q 'tests_of_trees(' tests/*/"$name.c" || echo "$name" ;;
        esac
    done
}

shopt -s nullglob
