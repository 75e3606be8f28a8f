#!/usr/bin/env bash
# suite_check.sh: what scripts/suite.sh makes of programs that fail in every way there is, one and several at a time.
# The last line is "N passed, N failed".
set -uo pipefail
cd "$(dirname "$0")/../.." || exit 2
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
passed=0
failed=0

check() { # WHAT COMMAND...
    local what=$1
    shift
    if "$@" >/dev/null 2>&1; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        echo "FAILED $what"
    fi
}

# Sums: 3 + 4 + 2 + 5 + 1 + 9 + 6 = 30 passed; two_fail has 2 of the 10 that failed, and eight others have one each.
made_up_suite() {
    . scripts/suite.sh
    suite "$work/$JOBS" "made up"
    echo "0 0 0" >"$logs/loses_its_shell.log.end" # of an earlier run
    run slow_one bash -c 'sleep 1; echo "checked 7 histories"; echo "3 passed, 0 failed"'
    run quick_one echo 'sim: 5 schedules, 6 operations, 7 choice points, 8 histories
4 passed, 0 failed'
    run two_fail bash -c 'echo "2 passed, 2 failed"; exit 1'
    run crashes bash -c 'kill -SEGV $$'
    run crashes_late bash -c 'echo "5 passed, 0 failed"; kill -ABRT $$'
    run hangs bash -c 'sleep 300 & wait' # with a child, which must end too
    run says_nothing true
    run nothing_to_do bash -c 'echo "0 passed, 0 failed"'
    run is_not_there "$work/none"
    run quiet_failure bash -c 'echo "1 passed, 0 failed"; exit 3'
    run loses_its_shell bash -c 'echo "9 passed, 0 failed"; read -ra up </proc/$PPID/stat; kill -KILL "${up[3]}"'
    alone last_one bash -c 'echo "6 passed, 0 failed"'
    finish
}

order=slow_onequick_onetwo_failcrashescrashes_latehangssays_nothingnothing_to_dois_not_therequiet_failure
order+=loses_its_shelllast_one
for jobs in 1 3; do
    told=$work/told$jobs
    (JOBS=$jobs PLEACH_TEST_TIMEOUT=3 made_up_suite) >"$told" 2>&1
    status=$?
    check "$jobs: exit status" test $status -eq 1
    check "$jobs: sum" test "$(tail -n 1 "$told")" = "30 passed, 10 failed"
    check "$jobs: what was checked" grep -qx \
        'checked: 5 simulated schedules with 7 choice points, 15 histories, 6 operations' "$told"
    check "$jobs: order" test "$(sed -nE 's/^   ([a-z_]+) +([0-9]+ p|FAILED).*/\1/p' "$told" | tr -d '\n')" = $order
    for why in 'slow_one +3 passed, 0 failed \([1-9]' 'two_fail +FAILED: 2 passed, 2 failed' \
        'crashes +FAILED: no closing line, exit status 139' \
        'crashes_late +FAILED: 5 passed, 0 failed, but exit status 134' \
        'hangs +FAILED: no closing line, exit status 124; stopped after 3 s' \
        'says_nothing +FAILED: no closing line, exit status 0' 'nothing_to_do +FAILED: ran no case' \
        'is_not_there +FAILED: no closing line, exit status 127' \
        'quiet_failure +FAILED: 1 passed, 0 failed, but exit status 3' \
        'loses_its_shell +FAILED: 9 passed, 0 failed, but exit status lost'; do
        check "$jobs: $why" grep -qE "^   $why" "$told"
    done
    check "$jobs: 9 are named at the end" test "$(grep -c '^   made up: ' "$told")" -eq 9
done

# A suite that is told to end takes what it runs along.
cat >"$work/long" <<END
. scripts/suite.sh
suite "$work/long-logs" "long"
run long_one bash -c 'echo \$\$ >"$work/process"; sleep 300'
finish
END
bash "$work/long" >/dev/null 2>&1 &
until [ -s "$work/process" ]; do sleep 0.1; done
kill $!
wait $!
check "a suite that is ended: its status" test $? -eq 143
for _ in 1 2 3 4 5 6 7 8 9 10; do
    kill -0 "$(cat "$work/process")" 2>/dev/null || break
    sleep 1
done
check "a suite that is ended: its program" bash -c '! kill -0 "$1"' kill "$(cat "$work/process")"

[ "$failed" -eq 0 ] || cat "$work"/told*
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
