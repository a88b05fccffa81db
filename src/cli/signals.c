#include "cli/signals.h"
#include <signal.h>
#include <stddef.h>

static const int ending[] = {SIGINT, SIGTERM, SIGHUP};

static volatile sig_atomic_t asked_end, asked_checkpoint;

static void on_end(int number)
{
	asked_end = number;
	for (size_t i = 0; i < sizeof ending / sizeof *ending; i++)
		signal(ending[i], SIG_DFL);
}

static void on_checkpoint(int number)
{
	(void)number;
	asked_checkpoint = 1;
}

static void handle(int number, void (*handler)(int))
{
	struct sigaction action = {.sa_handler = handler, .sa_flags = SA_RESTART}, before;
	sigfillset(&action.sa_mask); /* so that a second one that waits already finds the default action */
	/* With nohup the end of the terminal is nothing to listen to. */
	if (number != SIGHUP || (sigaction(number, NULL, &before) == 0 && before.sa_handler != SIG_IGN))
		sigaction(number, &action, NULL);
}

void signals_begin(void)
{
	for (size_t i = 0; i < sizeof ending / sizeof *ending; i++)
		handle(ending[i], on_end);
	handle(SIGUSR1, on_checkpoint);
	signal(SIGXFSZ, SIG_IGN);
}

int signals_end(void)
{
	return asked_end;
}

bool signals_take_checkpoint(void)
{
	bool asked = asked_checkpoint;
	asked_checkpoint = 0;
	return asked;
}
