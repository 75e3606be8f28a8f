/* paper.c - pleach-bench paper: runs experiments of papers one after the other, by the commands that have
 * them. */
#include "paper.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "bench/commands.h"
#include "bench/harness/json.h"
#include "tools/common/cli.h"
#include "tools/common/out_file.h"
#include "pleach/pleach.h"

static const char command[] = "pleach-bench paper";

#define LIST "papers.json"

static const char help[] =
    "usage: pleach-bench paper [OPTION...] [NAME...]\n"
    "\n"
    "Runs the named experiments of the papers that pleach follows, or all that can be run, and shows what the papers\n"
    "report, with their machines, above what is measured here. Those that begin with own- are in no paper: the\n"
    "structures' operations with keys of 32 and of 64 bits. A NAME may be the beginning of several. Where one cannot\n"
    "be run, it says why.\n"
    "\n"
    "  --list            the names, and what they measure; with --device and --small how they are run\n"
    "  --json FILE       with --list: what the papers report, as bench/report.py reads it; - is standard output\n"
    "  --device cpu|cuda where (default: cuda if there is a GPU, else cpu)\n"
    "  --small           a few seconds each, on sizes that show that it works, not how fast it is\n"
    "  --out FOLDER      write the results of each as FOLDER/NAME.json, and leave out those that are there already:\n"
    "                    so a long run can be continued. What the papers report is in FOLDER/" LIST "\n"
    "  --seconds N       begin no other experiment after so many seconds\n"
    "\n"
    "Exit status: 0, 1 if an answer was wrong, 2 if a command could not be carried out.\n";

enum { ON_CPU, ON_CUDA, NOT_SAID };
enum { MOST_NAMES = 64, MOST_WORDS = 48, MOST_TEXT = 1024 };

struct wish {
    size_t device;
    uint64_t seconds;
    const char *folder, *json, *names[MOST_NAMES];
    size_t name_count;
    bool small, list;
};

static bool begins_with(const char *text, const char *start) { return strncmp(text, start, strlen(start)) == 0; }

static bool is_wanted(const struct wish *wish, const struct paper_experiment *e)
{
    for (size_t i = 0; i < wish->name_count; i++)
        if (begins_with(e->name, wish->names[i])) return true;
    return wish->name_count == 0;
}

static void take_name(struct cli *cli, struct wish *wish, const char *name)
{
    bool known = false;
    for (size_t i = 0; i < paper_experiment_count; i++) known |= begins_with(paper_experiments[i].name, name);
    if (!known)
        cli_fail(cli, "there is no experiment '%s'; 'pleach-bench paper --list' names them", name);
    else if (wish->name_count == MOST_NAMES)
        cli_fail(cli, "at most %d names", MOST_NAMES);
    else
        wish->names[wish->name_count++] = name;
}

static void read_wish(struct cli *cli, struct wish *wish)
{
    static const char *const devices[] = {"cpu", "cuda", NULL};
    const char *text = NULL;
    *wish = (struct wish){.device = NOT_SAID, .seconds = UINT64_MAX};
    while (cli_more(cli)) {
        if (cli_set_flag(cli, "--list", &wish->list) || cli_set_flag(cli, "--small", &wish->small) ||
            cli_take_choice(cli, "--device", devices, &wish->device) || cli_take_text(cli, "--out", &wish->folder) ||
            cli_take_text(cli, "--json", &wish->json) || cli_take_number(cli, "--seconds", 1, 1000000, &wish->seconds))
            continue;
        else if (cli_take_word(cli, &text))
            take_name(cli, wish, text);
        else
            cli_reject_option(cli);
    }
    if (cli->status == EXIT_GOOD && wish->json != NULL && !wish->list) cli_fail(cli, "--json goes with --list");
    char line[200];
    if (wish->device == NOT_SAID) wish->device = pleach_gpu_info(0, line, sizeof line) == PLEACH_OK ? ON_CUDA : ON_CPU;
}

/* ---- one experiment ---- */

static const char *words_for(const struct paper_experiment *e, const struct wish *wish)
{
    return e->command == NULL ? NULL : wish->device == ON_CUDA ? e->gpu : e->cpu;
}

/* The command line of the next run, without 'pleach-bench'; *rest moves on. False: there is none. */
static bool next_run(const struct paper_experiment *e, const struct wish *wish, const char **rest, char *text,
                     size_t size)
{
    while (**rest == ' ' || **rest == ';') ++*rest;
    if (**rest == '\0') return false;
    const int length = (int)strcspn(*rest, ";");
    snprintf(text, size, "%s%s%.*s --device %s %s", e->command, *e->command != '\0' ? " " : "", length, *rest,
             wish->device == ON_CUDA ? "cuda" : "cpu", wish->small ? e->small : "");
    *rest += length;
    return true;
}

/* The file of the results of run `number`, from 1 on. */
static void result_path(const struct paper_experiment *e, const struct wish *wish, unsigned number, char *path,
                        size_t size)
{
    if (number == 1)
        snprintf(path, size, "%s/%s.json", wish->folder, e->name);
    else
        snprintf(path, size, "%s/%s-%u.json", wish->folder, e->name, number);
}

static bool is_there(const char *path)
{
    struct stat file;
    return stat(path, &file) == 0 && file.st_size > 0;
}

static size_t split(char *text, char **words, size_t most)
{
    size_t count = 0;
    for (char *word = strtok(text, " "); word != NULL && count < most; word = strtok(NULL, " ")) words[count++] = word;
    return count;
}

static int run(char *text, char *path)
{
    char option[] = "--json", *words[MOST_WORDS + 2];
    size_t count = split(text, words, MOST_WORDS);
    if (path != NULL) {
        words[count++] = option;
        words[count++] = path;
    }
    return command_bench((int)count, words);
}

static void print_lines(const char *title, const char *lines)
{
    for (const char *line = lines; line != NULL && *line != '\0';) {
        const int length = (int)strcspn(line, "\n");
        printf("%-8s %.*s\n", line == lines ? title : "", length, line);
        line += length + (line[length] == '\n');
    }
}

static void introduce(const struct paper_experiment *e)
{
    printf("%s: %s\n", e->name, e->what);
    print_lines("source", e->source);
    print_lines("paper", e->theirs);
    print_lines("note", e->note);
}

/* ---- all of them ---- */

static void print_list(const struct wish *wish)
{
    for (size_t i = 0; i < paper_experiment_count; i++) {
        const struct paper_experiment *e = &paper_experiments[i];
        const char *rest = words_for(e, wish);
        char text[MOST_TEXT];
        if (!is_wanted(wish, e)) continue;
        introduce(e);
        while (rest != NULL && next_run(e, wish, &rest, text, sizeof text)) print_lines("runs", text);
        printf("\n");
    }
}

static void write_member(FILE *file, const char *name, const char *text)
{
    fprintf(file, "\"%s\": ", name);
    if (text != NULL)
        json_write_text(file, text);
    else
        fprintf(file, "null");
    fprintf(file, ", ");
}

/* All of them, for a page of results. False after an error message. */
static bool write_list(const char *path)
{
    struct out_file out;
    bool written = out_file_open(&out, path);
    if (written) {
        fprintf(out.stream, "{\"experiments\": [");
        for (size_t i = 0; i < paper_experiment_count; i++) {
            const struct paper_experiment *e = &paper_experiments[i];
            fprintf(out.stream, "%s\n  {", i == 0 ? "" : ",");
            write_member(out.stream, "name", e->name);
            write_member(out.stream, "source", e->source);
            write_member(out.stream, "what", e->what);
            write_member(out.stream, "paper", e->theirs);
            write_member(out.stream, "note", e->note);
            fprintf(out.stream, "\"cpu\": %s, \"gpu\": %s}", e->command != NULL && e->cpu != NULL ? "true" : "false",
                    e->command != NULL && e->gpu != NULL ? "true" : "false");
        }
        fprintf(out.stream, "\n]}\n");
        written = out_file_close(&out);
    }
    if (!written) cli_complain(command, "cannot write %s: %s", path, out_file_reason(errno));
    return written;
}

/* Experiments that are wanted, and of those that can be run here their runs. */
struct tally {
    size_t wanted, none, runs, failed, left;
    time_t begin;
};

static double seconds_since(const struct tally *tally) { return difftime(time(NULL), tally->begin); }

static int run_experiment(const struct paper_experiment *e, const struct wish *wish, struct tally *tally)
{
    const char *rest = words_for(e, wish);
    char text[MOST_TEXT], path[MOST_TEXT];
    int status = EXIT_GOOD;
    for (unsigned number = 1; status != EXIT_USAGE && next_run(e, wish, &rest, text, sizeof text); number++) {
        if (wish->folder != NULL) result_path(e, wish, number, path, sizeof path);
        const bool done = wish->folder != NULL && is_there(path), late = seconds_since(tally) >= (double)wish->seconds;
        printf("\npleach-bench %s%s\n", text, done ? ": its results are there" : late ? ": left for another time" : "");
        fflush(stdout);
        tally->left += done || late;
        if (done || late) continue;
        const int ended = run(text, wish->folder != NULL ? path : NULL);
        tally->runs++;
        tally->failed += ended != EXIT_GOOD;
        if (ended > status) status = ended;
    }
    return status;
}

static int run_all(const struct wish *wish, struct tally *tally)
{
    int status = EXIT_GOOD;
    tally->begin = time(NULL);
    for (size_t i = 0; i < paper_experiment_count; i++) tally->wanted += is_wanted(wish, &paper_experiments[i]);
    for (size_t i = 0, number = 0; i < paper_experiment_count && status != EXIT_USAGE; i++) {
        const struct paper_experiment *e = &paper_experiments[i];
        if (!is_wanted(wish, e)) continue;
        printf("== %zu of %zu, %.0f s: ", ++number, tally->wanted, seconds_since(tally));
        introduce(e);
        if (words_for(e, wish) != NULL) {
            const int ended = run_experiment(e, wish, tally);
            if (ended > status) status = ended;
        } else {
            tally->none++;
            if (e->command != NULL) printf("it does not run on this device\n");
        }
        printf("\n");
    }
    return status;
}

static bool make_folder(const char *folder)
{
    if (mkdir(folder, 0777) == 0 || errno == EEXIST) return true;
    cli_complain(command, "%s: %s", folder, strerror(errno));
    return false;
}

static bool write_list_into(const char *folder)
{
    char path[MOST_TEXT];
    snprintf(path, sizeof path, "%s/" LIST, folder);
    return write_list(path);
}

int command_bench_paper(int argc, char **argv)
{
    struct cli cli;
    struct wish wish;
    struct tally tally = {0};
    cli_start(&cli, command, argc, argv);
    cli.help = help;
    read_wish(&cli, &wish);
    if (cli.status != EXIT_GOOD) return cli_result(&cli);
    if (wish.list) {
        if (wish.json != NULL) return cli_finish_output(command, write_list(wish.json) ? EXIT_GOOD : EXIT_USAGE);
        print_list(&wish);
        return cli_finish_output(command, EXIT_GOOD);
    }
    if (wish.folder != NULL && !(make_folder(wish.folder) && write_list_into(wish.folder))) return EXIT_USAGE;
    const int status = run_all(&wish, &tally);
    printf("%zu experiments, of which %zu cannot be run on this device; %zu runs, %zu failed, %zu left out\n",
           tally.wanted, tally.none, tally.runs, tally.failed, tally.left);
    return cli_finish_output(command, status);
}
