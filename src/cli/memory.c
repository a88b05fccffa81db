#include "cli/memory.h"

#include <glib.h>
#include <gmp.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SANITIZED
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define SANITIZED
#endif
#endif

enum { PROBE = 1 << 20, STACK = 1 << 16 };

/* Nothing is allocated any more when they are used. */
static char advice[1024];
G_GNUC_UNUSED static char handler_stack[STACK];

static void say(const char *text)
{
	if (write(STDERR_FILENO, text, strlen(text)) < 0)
		return;
}

/* Without what is to be done at exit: that might allocate, or write. */
static void give_up(void)
{
	say("cinch: out of memory");
	say(advice);
	say("\n");
	_exit(1);
}

/* GLib says "...: failed to allocate N bytes" or "overflow allocating ...", and would then end the program by a trap. */
static void on_log(const char *domain, GLogLevelFlags level, const char *message, void *data)
{
	if ((level & G_LOG_LEVEL_ERROR) != 0 && message != NULL &&
	    (strstr(message, "allocat") != NULL || strstr(message, "out of memory") != NULL))
		give_up();
	g_log_default_handler(domain, level, message, data);
}

/* Where not even a message can be put together, GLib recurses until the stack is full; so every crash is asked whether
 * there is memory left. */
G_GNUC_UNUSED static void on_crash(int number)
{
	void *probe = mmap(NULL, PROBE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (probe == MAP_FAILED)
		give_up();
	say("cinch: a failure of the program itself, which should be reported: ");
	say(number == SIGSEGV || number == SIGBUS ? "access to memory that is not there" : number == SIGFPE ? "arithmetic" : "abort");
	say(advice);
	say("\n");
	raise(number); /* now with the default action, and a core file where they are kept */
}

/* Sanitizers tell more about a crash. */
static void watch_crashes(void)
{
#ifndef SANITIZED
	static const int crashes[] = {SIGSEGV, SIGBUS, SIGFPE, SIGABRT, SIGTRAP};
	stack_t stack = {.ss_sp = handler_stack, .ss_size = sizeof handler_stack};
	struct sigaction action = {.sa_handler = on_crash, .sa_flags = (int)SA_RESETHAND | SA_ONSTACK | SA_NODEFER};
	if (sigaltstack(&stack, NULL) != 0)
		return;
	for (size_t i = 0; i < G_N_ELEMENTS(crashes); i++)
		sigaction(crashes[i], &action, NULL);
#endif
}

static void *allocate(size_t size)
{
	return g_malloc(size);
}

static void *reallocate(void *memory, size_t old_size, size_t size)
{
	(void)old_size;
	return g_realloc(memory, size);
}

static void release(void *memory, size_t size)
{
	(void)size;
	g_free(memory);
}

void memory_begin(void)
{
	g_log_set_default_handler(on_log, NULL);
	mp_set_memory_functions(allocate, reallocate, release);
	watch_crashes();
}

void memory_advise(const char *archive)
{
	g_snprintf(advice, sizeof advice,
	    "; what %s has so far is whole ('cinch resume %s' goes on from the last checkpoint)", archive, archive);
	for (char *c = advice; *c; c++)
		if (g_ascii_iscntrl(*c))
			*c = '?';
}
