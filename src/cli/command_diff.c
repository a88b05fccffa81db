#include "cli/command.h"
#include "io/archive.h"
#include <stdio.h>

int command_diff(int argc, char **argv)
{
	int status;
	if (!command_parse("A.h5 B.h5",
	        "Says whether two archives are the same run: /motion and /ledger equal bit for bit. Counters and timings may "
	        "differ.\nExit status: 0 the same, 1 different.",
	        NULL, &argc, &argv, &status))
		return status;
	if (argc != 3)
		return command_fail_usage("diff", "expected two archives");
	GError *error = NULL;
	g_autofree char *difference = NULL;
	if (!archive_compare(argv[1], argv[2], &difference, &error))
		return command_fail(error);
	if (difference == NULL) {
		printf("%s and %s are the same run\n", argv[1], argv[2]);
		return 0;
	}
	printf("%s\n", difference);
	return 1;
}
