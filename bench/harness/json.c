#include "json.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/common/memory_limit.h"

enum { DEEPEST = 64, MOST_BYTES = 256 << 20 };

struct reader {
    const char *path, *begin, *at;
    unsigned depth;
    char *why; /* empty until something is wrong */
    size_t size;
};

/* Bytes of all files so far: they are kept until the command ends. */
static uint64_t held;

static bool wrong(struct reader *r, const char *what)
{
    unsigned line = 1;
    for (const char *c = r->begin; c < r->at; c++) line += *c == '\n';
    if (r->why[0] == '\0') snprintf(r->why, r->size, "%s, line %u: %s", r->path, line, what);
    return false;
}

static void skip_space(struct reader *r) { r->at += strspn(r->at, " \t\r\n"); }

static bool take(struct reader *r, char c)
{
    skip_space(r);
    if (*r->at != c) return false;
    r->at++;
    return true;
}

/* The character behind a backslash; code points beyond ASCII are not needed for anything, and become '?'. */
static bool read_escape(struct reader *r, char *c)
{
    static const char letters[] = "\"\\/bfnrt", meant[] = "\"\\/\b\f\n\r\t";
    const char *letter = *r->at != '\0' ? strchr(letters, *r->at) : NULL;
    if (letter != NULL) {
        *c = meant[letter - letters];
        r->at++;
        return true;
    }
    if (*r->at != 'u' || strspn(r->at + 1, "0123456789abcdefABCDEF") < 4) return wrong(r, "no such escape in a string");
    char digits[5] = {r->at[1], r->at[2], r->at[3], r->at[4], '\0'};
    unsigned long code = strtoul(digits, NULL, 16);
    *c = code > 0 && code < 128 ? (char)code : '?';
    r->at += 5;
    return true;
}

/* What a string takes of the text, up to its last quotation mark, or to where it is wrong. */
static size_t string_length(const char *text)
{
    size_t length = 0;
    while (text[length] != '"' && (unsigned char)text[length] >= 0x20) {
        length += text[length] == '\\' && text[length + 1] != '\0' ? 2 : 1;
    }
    return length;
}

/* Zeroed; NULL after a complaint. */
static void *take_memory(struct reader *r, size_t bytes)
{
    enum { OVERHEAD = 16 }; /* of an allocation */
    void *memory = NULL;
    held += bytes + OVERHEAD;
    if (memory_allows(held)) memory = calloc(1, bytes);
    if (memory == NULL) wrong(r, memory_lack());
    return memory;
}

/* At the first quotation mark. */
static char *read_string(struct reader *r)
{
    const char *text = ++r->at;
    size_t length = 0;
    char *copy = take_memory(r, string_length(text) + 1);
    if (copy == NULL) return NULL;
    while (*r->at != '"') {
        char c = *r->at;
        if ((unsigned char)c < 0x20) {
            wrong(r, "a string does not end");
            break;
        }
        r->at++;
        if (c == '\\' && !read_escape(r, &c)) break;
        copy[length++] = c;
    }
    if (r->why[0] != '\0') {
        free(copy);
        return NULL;
    }
    r->at++;
    copy[length] = '\0';
    return copy;
}

static struct json *read_value(struct reader *r);

/* Members or elements, up to the bracket that ends them. */
static bool read_parts(struct reader *r, struct json *whole, char end)
{
    struct json **last = &whole->first;
    if (take(r, end)) return true;
    do {
        char *name = NULL;
        skip_space(r);
        if (whole->kind == JSON_OBJECT) {
            if (*r->at != '"') return wrong(r, "a member's name is missing");
            name = read_string(r);
            if (name == NULL) return false;
            if (!take(r, ':')) {
                free(name);
                return wrong(r, "':' is missing after a member's name");
            }
        }
        *last = read_value(r);
        if (*last == NULL) {
            free(name);
            return false;
        }
        (*last)->name = name;
        last = &(*last)->next;
    } while (take(r, ','));
    return take(r, end) || wrong(r, end == ']' ? "',' or ']' is missing" : "',' or '}' is missing");
}

static bool read_word(struct reader *r, struct json *value)
{
    static const char *const words[] = {"null", "false", "true"}; /* as json_kind */
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        size_t length = strlen(words[i]);
        if (strncmp(r->at, words[i], length) != 0) continue;
        value->kind = (enum json_kind)i;
        r->at += length;
        return true;
    }
    char *end;
    if (strchr("-0123456789", *r->at) == NULL || *r->at == '\0') return wrong(r, "a value is missing");
    value->kind = JSON_NUMBER;
    value->number = strtod(r->at, &end);
    if (end == r->at) return wrong(r, "no number");
    r->at = end;
    return true;
}

static bool read_into(struct reader *r, struct json *value)
{
    if (*r->at == '"') {
        value->kind = JSON_STRING;
        value->text = read_string(r);
        return value->text != NULL;
    }
    if (*r->at != '[' && *r->at != '{') return read_word(r, value);
    if (r->depth == DEEPEST) return wrong(r, "values are nested too deeply");
    value->kind = *r->at == '[' ? JSON_ARRAY : JSON_OBJECT;
    r->at++;
    r->depth++;
    bool good = read_parts(r, value, value->kind == JSON_ARRAY ? ']' : '}');
    r->depth--;
    return good;
}

static struct json *read_value(struct reader *r)
{
    struct json *value = take_memory(r, sizeof *value);
    skip_space(r);
    if (value != NULL && read_into(r, value)) return value;
    json_free(value);
    return NULL;
}

/* As a string; NULL after a complaint. */
static char *read_file(const char *path, char *why, size_t size)
{
    FILE *file = fopen(path, "rb");
    char *text = NULL;
    size_t length = 0, room = 0;
    if (file == NULL) {
        snprintf(why, size, "%s: %s", path, strerror(errno));
        return NULL;
    }
    for (size_t got = 1; got > 0; length += got) {
        if (length + 1 >= room) {
            room = room == 0 ? 1 << 16 : 2 * room;
            char *larger = room <= MOST_BYTES ? realloc(text, room) : NULL;
            if (larger == NULL) break;
            text = larger;
        }
        got = fread(text + length, 1, room - length - 1, file);
    }
    bool good = text != NULL && feof(file) && !ferror(file) && memchr(text, '\0', length) == NULL;
    if (good)
        text[length] = '\0';
    else
        snprintf(why, size, "%s: cannot be read as text of less than 256 MiB", path);
    fclose(file);
    if (!good) free(text);
    return good ? text : NULL;
}

struct json *json_read(const char *path, char *why, size_t size)
{
    why[0] = '\0';
    char *text = read_file(path, why, size);
    if (text == NULL) return NULL;
    struct reader r = {.path = path, .begin = text, .at = text, .why = why, .size = size};
    const size_t length = strlen(text);
    held += length;
    struct json *value = read_value(&r);
    skip_space(&r);
    if (value != NULL && *r.at != '\0') {
        wrong(&r, "something follows the value");
        json_free(value);
        value = NULL;
    }
    held -= length;
    free(text);
    return value;
}

void json_free(struct json *value)
{
    while (value != NULL) {
        struct json *next = value->next;
        json_free(value->first);
        free(value->text);
        free(value->name);
        free(value);
        value = next;
    }
}

const struct json *json_member(const struct json *object, const char *name)
{
    if (object == NULL || object->kind != JSON_OBJECT) return NULL;
    for (const struct json *member = object->first; member != NULL; member = member->next)
        if (strcmp(member->name, name) == 0) return member;
    return NULL;
}

double json_number(const struct json *object, const char *name, double otherwise)
{
    const struct json *member = json_member(object, name);
    return member != NULL && member->kind == JSON_NUMBER ? member->number : otherwise;
}

const char *json_text(const struct json *object, const char *name, const char *otherwise)
{
    const struct json *member = json_member(object, name);
    return member != NULL && member->kind == JSON_STRING ? member->text : otherwise;
}

void json_write_text(FILE *file, const char *text)
{
    fputc('"', file);
    for (; *text != '\0'; text++) {
        const unsigned char byte = (unsigned char)*text;
        if (byte == '"' || byte == '\\')
            fprintf(file, "\\%c", byte);
        else if (byte < 0x20)
            fprintf(file, "\\u%04x", byte);
        else
            fputc(byte, file);
    }
    fputc('"', file);
}
