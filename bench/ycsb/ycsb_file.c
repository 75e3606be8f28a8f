/* ycsb_file.c - a workload from a file of properties, as YCSB has them: NAME=VALUE, one a line. */
#define _DEFAULT_SOURCE 1
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "ycsb.h"
#include "tools/common/cli.h"
#include "tools/common/text_in.h"

struct reading {
    struct ycsb_workload *workload;
    const char *path;
    size_t line;
    char *why;
    size_t size;
};

static bool refuse(const struct reading *r, const char *what, const char *text)
{
    snprintf(r->why, r->size, "%s:%zu: %s '%s'", r->path, r->line, what, text);
    return false;
}

/* ---- values ---- */

static bool read_share(struct reading *r, enum ycsb_kind kind, const char *text)
{
    char *end;
    const double share = strtod(text, &end);
    if (end == text || *end != '\0' || !(share >= 0 && share <= 1))
        return refuse(r, "a proportion is a number from 0 to 1, not", text);
    r->workload->share[kind] = share;
    return true;
}

static bool read_count(struct reading *r, uint64_t least, uint64_t most, uint64_t *count, const char *text)
{
    uint64_t parsed;
    char what[80];
    snprintf(what, sizeof what, "a number from %llu to %llu is needed, not", (unsigned long long)least,
             (unsigned long long)most);
    if (!cli_parse_number(text, &parsed) || parsed < least || parsed > most) return refuse(r, what, text);
    *count = parsed;
    return true;
}

static bool read_length(struct reading *r, unsigned *length, const char *text)
{
    uint64_t count = 0;
    if (!read_count(r, 1, YCSB_MOST_SCAN, &count, text)) return false;
    *length = (unsigned)count;
    return true;
}

static bool read_dist(struct reading *r, const char *text)
{
    for (size_t dist = 0; dist < YCSB_DISTS; dist++) {
        if (strcmp(ycsb_dist_names[dist], text) != 0) continue;
        r->workload->dist = (enum ycsb_dist)dist;
        return true;
    }
    return refuse(r, "requests are uniform, zipfian or latest here, not", text);
}

static bool read_scan_dist(struct reading *r, const char *text)
{
    r->workload->zipfian_scans = strcmp(text, "zipfian") == 0;
    return r->workload->zipfian_scans || strcmp(text, "uniform") == 0 ||
           refuse(r, "lengths of scans are uniform or zipfian, not", text);
}

/* ---- names ---- */

/* Of YCSB's properties those that change nothing here: records are a key and a value of 64 bits, inserted by hash. */
static bool changes_nothing(const char *name)
{
    static const char *const names[] = {
        "workload", "table", "columnfamily", "fieldcount", "fieldlength", "minfieldlength", "fieldlengthdistribution",
        "fieldnameprefix", "readallfields", "writeallfields", "readallfieldsbyname", "dataintegrity", "insertstart",
        "insertcount", "zeropadding", "maxscanrate", "scanoptimelimit", "discardscannedrecord", "hotspotdatafraction",
        "hotspotopnfraction", "maxexecutiontime", "measurementtype", "threadcount", "target", "status", "db",
        "reportlatencyforeacherror", "latencytrackederrors", "core_workload_insertion_retry_limit",
        "core_workload_insertion_retry_interval"};
    if (strchr(name, '.') != NULL) return true; /* a setting of some client's own */
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (strcmp(names[i], name) == 0) return true;
    return false;
}

static bool read_property(struct reading *r, const char *name, const char *text)
{
    static const char *const shares[YCSB_KINDS] = {"readproportion", "updateproportion", "insertproportion",
                                                   "scanproportion", "readmodifywriteproportion"};
    const uint64_t most = (uint64_t)1 << 31;
    for (size_t kind = 0; kind < YCSB_KINDS; kind++)
        if (strcmp(name, shares[kind]) == 0) return read_share(r, (enum ycsb_kind)kind, text);
    if (strcmp(name, "recordcount") == 0) return read_count(r, 16, most, &r->workload->keys, text);
    if (strcmp(name, "operationcount") == 0) return read_count(r, 1, most, &r->workload->ops, text);
    if (strcmp(name, "minscanlength") == 0) return read_length(r, &r->workload->least_scan, text);
    if (strcmp(name, "maxscanlength") == 0) return read_length(r, &r->workload->most_scan, text);
    if (strcmp(name, "requestdistribution") == 0) return read_dist(r, text);
    if (strcmp(name, "scanlengthdistribution") == 0) return read_scan_dist(r, text);
    if (strcmp(name, "insertorder") == 0)
        return strcmp(text, "hashed") == 0 || refuse(r, "records are inserted hashed here, not", text);
    return changes_nothing(name) || refuse(r, "there is no property", name);
}

/* ---- lines ---- */

static bool read_line(struct reading *r, char *line)
{
    if (line[0] == '\0' || line[0] == '#' || line[0] == '!') return true;
    const size_t length = strcspn(line, "=:");
    if (line[length] == '\0') return refuse(r, "NAME=VALUE is needed, not", line);
    const char *text = line + length + 1;
    line[length > 0 && line[length - 1] == ' ' ? length - 1 : length] = '\0'; /* blanks come one at a time */
    return read_property(r, line, text + (*text == ' '));
}

static void no_wait(void *context) { (void)context; }

static bool read_lines(struct reading *r, struct text_in *in)
{
    char line[TEXT_LINE_BYTES + 1];
    size_t length = 0;
    for (;;) {
        const enum text_line got = text_in_line(in, line, &length);
        r->line++;
        line[length] = '\0';
        if (got == TEXT_END) return true;
        if (got == TEXT_FAILED) return snprintf(r->why, r->size, "%s: %s", r->path, strerror(errno)), false;
        if (got == TEXT_LINE_LONG) return refuse(r, "the line is too long:", "...");
        if (strlen(line) != length) return refuse(r, "a NUL byte after", line);
        if (!read_line(r, line)) return false;
    }
}

/* The row's name: that of the file, with what JSON or CSV would give a meaning replaced. */
static void name_workload(struct ycsb_workload *workload, const char *path)
{
    const char *base = strrchr(path, '/');
    snprintf(workload->name, sizeof workload->name, "ycsb-%s", base != NULL ? base + 1 : path);
    for (char *at = workload->name; *at != '\0'; at++)
        if (!isalnum((unsigned char)*at) && strchr("-_.", *at) == NULL) *at = '_';
}

static bool make_whole(const struct reading *r)
{
    struct ycsb_workload *workload = r->workload;
    double sum = 0;
    for (size_t kind = 0; kind < YCSB_KINDS; kind++) sum += workload->share[kind];
    if (!(sum > 0)) return snprintf(r->why, r->size, "%s: all proportions are 0", r->path), false;
    if (workload->least_scan > workload->most_scan)
        return snprintf(r->why, r->size, "%s: minscanlength is above maxscanlength", r->path), false;
    for (size_t kind = 0; kind < YCSB_KINDS; kind++) workload->share[kind] /= sum; /* as YCSB does */
    return true;
}

bool ycsb_read_workload(struct ycsb_workload *workload, const char *path, char *why, size_t size)
{
    struct reading r = {.workload = workload, .path = path, .why = why, .size = size};
    /* What YCSB takes where a file says nothing. */
    *workload = (struct ycsb_workload){.share = {[YCSB_READ] = 0.95, [YCSB_UPDATE] = 0.05}, .dist = YCSB_UNIFORM,
                                       .least_scan = 1, .most_scan = 1000};
    name_workload(workload, path);
    const int file = open(path, O_RDONLY | O_CLOEXEC);
    struct text_in *in = malloc(sizeof *in);
    bool good = file >= 0 && in != NULL;
    if (!good) snprintf(why, size, "%s: %s", path, strerror(file < 0 ? errno : ENOMEM));
    if (good) text_in_start(in, file, no_wait, NULL);
    good = good && read_lines(&r, in) && make_whole(&r);
    free(in);
    if (file >= 0) close(file);
    return good;
}
