/* level/level_wait.h - runs one operation of a GPU thread to its end. Progress: blink.h, skiplist.h. */
#ifndef PLEACH_BLINK_WAIT_H
#define PLEACH_BLINK_WAIT_H

#define BLINK_WAIT(step, attempts)                                                                               \
    do {                                                                                                         \
        if ((step) == STEP_AGAIN) port_pause((attempts)++);                                                      \
    } while (0)

/* For steps that take no latch. */
#define LEVEL_BLOCKING(step_call)                                                                                \
    do {                                                                                                         \
        unsigned attempts_ = 0;                                                                                  \
        level_step step_;                                                                                        \
        while ((step_ = (step_call)) == STEP_MOVED || step_ == STEP_AGAIN) BLINK_WAIT(step_, attempts_);         \
    } while (0)

#endif
