# Sourced by scripts/gpu, scripts/test and scripts/verify: all that runs on a GPU, real or emulated (verify/cuda_host).
# The programs are in $folder. With `emulated` set, each thread of a kernel takes as long as a thousand on a GPU: then
# the table below has the scale of each program, and the cases that are too long; `emulated` is "long" in scripts/verify.

# The programs that also run with versioned maps, with skiplists, and with batches.
varied_tests="test_map_points test_map_random test_map_ranges test_map_long test_map_whole test_map_limits
    test_map_threads"
# These begin first, so that no long program is left for the end.
long_tests="test_graph_history test_hash_limits test_hash_history test_map_allocations test_graph_ordered_faults
    test_hash_threads test_skiplist test_skiplist_threads test_map_snapshots test_graph_delays test_graph_threads
    test_graph_faults test_graph_limits test_map_faults test_graph_vertices test_map_limits test_map_points test_batch
    test_versioned_history_device test_triangles_cuda"

gpu_parts="map batch hash graph skiplist tools"
gpu_wanted=${FOR:-$gpu_parts}
emulated=

# NAME SCALE [VARIABLE=VALUE...] [CASE...]: a program's PLEACH_TEST_SCALE on an emulated GPU, and the cases that are
# too long for every day, by patterns (PLEACH_TEST_SKIP); scripts/verify runs these as well. A program with something in
# front of it, such as versioned.test_map_points, has the line of the program if it has none of its own.
emulated_table='
test_bank 1
test_baselines 5
test_batch 1 */64*without_memory* */64*limit* *erasing_puts_nodes_together *the_same_batches_make* */64*many_keys *array_updates_after_finds
test_batch_snapshots 1 */64*batches_without_room* *copies_are_used* *queries_at_snapshots*
test_batch_steps 1 */64*every_pair*
test_batch_streams_cuda 5
test_brute_force 3
test_file_format 3
test_graph_delays 3
test_graph_device 1
test_graph_faults 1 *every_allocation_of_every_call
test_graph_graphblas 5
test_graph_history 2
test_graph_limits 1 *there_is_room_again* *triangles_of_what* *threads_at_the_limit *what_does_not_fit*
test_graph_ordered 1 *rows_longer_than_a_page
test_graph_ordered_faults 0 *every_allocation_fails */64*
test_graph_ordered_snapshots 2 *every_call_has_its_snapshot
test_graph_points 2
test_graph_random 0
test_graph_seeds 3
test_graph_sparse 0
test_graph_threads 0 *sparse*who_stays* *values*who_stays*
test_graph_triangles 0 *few_and_large_ids *each_way* *complete_graphs *turan_graphs *wheels *graphs_without_triangles
test_graph_vertices 0 *stats_add_up
test_handover 2
test_hash 1
test_hash_device 5
test_hash_history 2
test_hash_limits 0 *threads_run_out* */64*growth_that*
test_hash_random 3 *turnover*
test_hash_repeats 0 */64*
test_hash_seeds 5
test_hash_threads 1 *growth_under_load* *one_brings_another*
test_index 0 */64*
test_map_cuda 1 *every_kind_of_pointer*
test_map_delays 3
test_map_device 5
test_map_allocations 1 *every_allocation_of_array*
test_map_errors 1 *pool_limit_is_reached_in_sorted* */64*pool_limit_is_reached*
test_map_faults 1 *pool_that_cannot_grow_refuses* */64*every_allocation_of_* */64*beside_growth*
test_map_file 3
test_map_history 3 *two_inserts_have_one_order*
test_map_history_device 5
test_map_images 0 *handles_that_are_gone* */64*
test_map_limits 0 *pool_runs_out_at_every_place* *threads_run_out* *what_was_reserved*
test_map_long 0 *long_ranges_over* *long_ranges_cross* *many_long* *keys_that_stay* *short_and_long* */64*
test_map_long_cuda 0 *long_and_short* *more_long* */64*one_long*
test_map_points 1 *every_order_of_keys_by*
test_map_random 0
test_map_ranges 1 *ranges_cross_emptied* *ranges_over_every_pattern
test_map_snapshots 1 *many_snapshots_live* *any_number_may_be_live
test_map_threads 0 *owners_of_many* */64*owners_mix* */64*readers_beside* */64*exclusive*
test_map_whole 0 *load_takes_any_order *load_takes_any_fill *loaded_map_takes* */64*load_keeps* */64*load_takes* */64*compact* */64*clear*
test_own_keys 5
test_queue 1
test_skiplist 1 *every_order_in_and* *ascending_and_descending* *tides_need* */64*
test_skiplist_threads 1 *waves_of_single* *queries_seldom* */64*
test_skiplist_device 2
test_skiplist32_device 2
test_skiplist_history_device 2
test_skiplist32_history_device 2
test_symmetry 5
test_token 0 *_skiplist *_among_versions
test_triangles_cuda 1
test_versioned_device 1
test_versioned_history_device 2 PLEACH_CUDA_HOST_STREAMS=late
'

# The CPU's side needs no instruction sets of its own there.
# shellcheck disable=SC2034 # for those who source this
emulated_options=(-DPLEACH_CUDA=HOST -DPLEACH_COMPILES_AVX2=OFF -DPLEACH_COMPILES_AVX512=OFF)

# line_of NAME: what follows NAME, or its last part, in the table. 1: nothing does.
line_of() {
    local name line
    for name in "$1" "${1##*.}"; do
        while read -r line; do
            if [ "${line%% *}" = "$name" ]; then
                echo "${line#"$name"}"
                return
            fi
        done <<<"$emulated_table"
    done
    return 1
}

# on_emulation NAME COMMAND...: runs it as the table says.
emulated_wrapper=()
emulated_programs=0
on_emulation() {
    local name=$1 word scale='' skip='' settings=(PLEACH_CUDA_HOST_SEED="${PLEACH_CUDA_HOST_SEED:-0}")
    shift
    emulated_programs=$((emulated_programs + 1))
    local -
    set -o noglob
    for word in $(line_of "$name" || echo 1); do
        case $word in
        *=*) settings+=("$word") ;;
        [0-9]*) scale=$word ;;
        *) skip+=" $word" ;;
        esac
    done
    [ "$emulated" = long ] && skip=
    run "$name" env PLEACH_TEST_SCALE="$((scale * ${PLEACH_TEST_SCALE:-100} / 100))" PLEACH_TEST_SKIP="$skip" \
        "${settings[@]}" ${emulated_wrapper[@]+"${emulated_wrapper[@]}"} "$@"
}

# gpu_sized GPU EMULATED LONG: a size for what runs now.
gpu_sized() {
    case $emulated in
    "") echo "$1" ;;
    long) echo "$3" ;;
    *) echo "$2" ;;
    esac
}

is_one_of() { # WORD WORDS
    local word
    for word in $2; do
        [ "$word" = "$1" ] && return
    done
    return 1
}

# part_of TEST: the part that a test program belongs to.
part_of() {
    case $1 in
    test_batch* | test_queue | test_index) echo batch ;;
    test_hash*) echo hash ;;
    test_graph* | test_triangles*) echo graph ;;
    test_skiplist*) echo skiplist ;;
    test_baselines) echo tools ;;
    *) echo map ;;
    esac
}

# offer PART NAME COMMAND...: runs it, if the part is wanted.
offer() {
    local part=$1
    shift
    is_one_of "$part" "$gpu_wanted" || return
    if [ -n "$emulated" ]; then
        on_emulation "$@"
    else
        run "$@"
    fi
}

# The test programs on the GPU, the long ones first.
gpu_tests() {
    local name all
    all=$(device_tests && cuda_tests)
    for name in $long_tests; do
        is_one_of "$name" "$all" && echo "$name"
    done
    for name in $all; do
        is_one_of "$name" "$long_tests" || echo "$name"
    done
}

offer_test() { # NAME
    case $1 in
    # What it compares of the GPU's free memory is right only where it is alone; offer_lonely has that.
    test_map_faults) offer map "$1" env PLEACH_TEST_SHARED_GPU=1 "$folder/tests/$1" --device cuda ;;
    *_cuda | *_device) offer "$(part_of "$1")" "$1" "$folder/tests/$1" ;;
    *) offer "$(part_of "$1")" "$1" "$folder/tests/$1" --device cuda ;;
    esac
}

offer_varied() {
    local name structure
    for name in $varied_tests; do
        offer map "versioned.$name" env PLEACH_TEST_VERSIONED=1 "$folder/tests/$name" --device cuda
        for structure in skiplist skiplist32; do
            offer skiplist "$structure.$name" env PLEACH_TEST_STRUCTURE=$structure "$folder/tests/$name" --device cuda
        done
        offer batch "batches.$name" env PLEACH_TEST_ENGINE=batches "$folder/tests/$name" --device cuda
    done
    for structure in skiplist skiplist32; do
        offer skiplist "$structure.test_map_cuda" env PLEACH_TEST_STRUCTURE=$structure "$folder/tests/test_map_cuda"
    done
}

offer_lonely() {
    settle
    offer map alone.test_map_faults "$folder/tests/test_map_faults" --device cuda \
        --filter '*allocations_fail_for_a_while*'
    settle
}

# In front of a command whose exit status says all.
good=(bash -c '"$@" && echo "1 passed, 0 failed"' good)

# Each against an oracle: over a million operations in all on a GPU.
offer_replays() {
    local replay=(python3 tests/tools/replay_oracle.py --pleach "$pleach" --device cuda --all)
    offer tools replay.versioned "${replay[@]}" --structure versioned --ops "$(gpu_sized 250000 2000 100000)"
    offer tools replay.map "${replay[@]}" --structure map --ops "$(gpu_sized 400000 4000 100000)"
    offer tools replay.skiplist "${replay[@]}" --structure skiplist --chunk 16 \
        --ops "$(gpu_sized 150000 3000 100000)"
    offer tools replay.skiplist32 "${replay[@]}" --structure skiplist --chunk 32 \
        --ops "$(gpu_sized 150000 3000 100000)"
    offer tools replay.hash "${replay[@]}" --structure hash --ops "$(gpu_sized 300000 4000 100000)"
    offer tools graph_oracle python3 tests/tools/graph_oracle.py --pleach "$pleach" --device cuda \
        --events "$(gpu_sized 100000 1000 20000)"
}

# On an emulated GPU a round takes longer than it is to take, so there operations are counted: as many of a structure as
# take a minute or two.
offer_stress() { # STRUCTURE OPERATIONS-IN-LONG-RUNS OPTION...
    local stress=("$pleach" stress --device cuda --threads 4)
    case $emulated in
    "") stress+=(--seconds "${PLEACH_STRESS_SECONDS:-8}") ;;
    long) stress+=(--hang-timeout 900 --operations "$2") ;;
    *) stress+=(--hang-timeout 900 --operations 1 --bits 32) ;;
    esac
    offer tools "stress.$1" "${good[@]}" "${stress[@]}" "${@:3}"
}

offer_stresss() {
    offer_stress map 3M
    offer_stress versioned 3M --versioned
    offer_stress skiplist 3M --structure skiplist
    offer_stress hash 300K --structure hash
}

# At sizes that say nothing of speed; all results are checked. Larger ones check nothing else, so long runs have these.
offer_benches() {
    local keys ops range scale bench
    keys=$(gpu_sized 20000 500 500)
    ops=$(gpu_sized 5000 200 200)
    range=$(gpu_sized 10K 1K 1K)
    scale=$(gpu_sized 8 4 4)
    bench=("$pleach-bench" --device cuda --keys "$keys" --ops "$ops" --repeat 1 --quick)
    offer tools bench.map "${good[@]}" "${bench[@]}"
    offer tools bench.versioned "${good[@]}" "${bench[@]}" --versioned
    offer tools bench.skiplist "${good[@]}" "${bench[@]}" --structure skiplist --chunk 16
    offer tools bench.skiplist32 "${good[@]}" "${bench[@]}" --structure skiplist --chunk 32
    offer tools bench.gfsl "${good[@]}" "$pleach-bench" gfsl --device cuda --range "$range" \
        --ops "$(gpu_sized 20000 500 500)" --repeat 1
    offer tools bench.ycsb "${good[@]}" "$pleach-bench" ycsb --device cuda --keys "$keys" \
        --ops "$(gpu_sized 20000 500 500)" --batch "$(gpu_sized 4096 256 256)" --repeat 1
    offer tools bench.baselines "${good[@]}" "$pleach-bench" baselines --device cuda --quick --keys "$keys" --repeat 1 \
        grow insert find range succ erase
    offer tools bench.ablations "${good[@]}" "$pleach-bench" ablations --device cuda --quick --repeat 1
    offer tools bench.graph "${good[@]}" "$pleach-bench" graph --device cuda --scale "$scale" --runs 1
    offer tools bench.ordered "${good[@]}" "$pleach-bench" graph --device cuda --scale "$scale" --runs 1 \
        --adjacency ordered
}

# Nothing is installed of a build with an emulated GPU, which has its own of those with kernels.
offer_examples() {
    if [ -z "$emulated" ]; then
        offer tools examples tests/tools/install_check.sh --gpu "$folder"
        return
    fi
    # shellcheck disable=SC2016 # another shell's
    local says=(bash -c '"${@:2}" | grep -q "$1" && echo "1 passed, 0 failed"' says)
    offer tools example.device_side "${says[@]}" '^64000 threads counted 1000 words; 500 are left' \
        "$folder/tests/example_device_side"
    offer tools example.bfs "${says[@]}" '; 0 distances are not those of the host$' "$folder/tests/example_bfs" 4096
}

# All of it; $folder and $pleach are built.
offer_all() {
    local name
    if [ -z "$(device_tests)" ] || [ -z "$(cuda_tests)" ]; then
        fail tests "no tests/*/test_*.c takes --device, or there are no tests/*/test_*.cu"
    fi
    offer_replays
    for name in $(gpu_tests); do
        offer_test "$name"
    done
    offer_varied
    offer_stresss
    offer_benches
    offer_examples
    offer_lonely
}

# emulated_tests FOLDER [WRAPPER...]: its test programs only, by the table, behind a wrapper.
emulated_tests() {
    folder=$1
    emulated=yes
    emulated_wrapper=("${@:2}")
    local name
    for name in $(gpu_tests); do
        offer_test "$name"
    done
    settle
    emulated_wrapper=()
}

# run_emulated FOLDER [long]: all of it on the emulated GPU that FOLDER was built with; then what it was.
run_emulated() {
    folder=$1
    pleach=$1/pleach
    emulated=${2:-yes}
    local before=$passed
    offer_all
    settle
    printf 'emulated: all %d programs of make test-gpu, %d cases\n' $emulated_programs $((passed - before))
}
