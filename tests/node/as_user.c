/* SPDX-License-Identifier: BSD-3-Clause
 *
 * as_user NAME PROGRAM [ARGUMENTS]: runs a program as another user. The node's busybox has no
 * command that does this and passes the exit status on.
 */
#include <errno.h>
#include <grp.h>
#include <pwd.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    const struct passwd *user = argc > 2 ? getpwnam(argv[1]) : NULL;
    if (!user) {
        fprintf(stderr, "usage: as_user NAME PROGRAM [ARGUMENTS]\n");
        return 125;
    }
    if (setgroups(0, NULL) || setgid(user->pw_gid) || setuid(user->pw_uid)) {
        fprintf(stderr, "as_user: %s: %s\n", argv[1], strerror(errno));
        return 125;
    }
    execv(argv[2], argv + 2);
    fprintf(stderr, "as_user: %s: %s\n", argv[2], strerror(errno));
    return 127;
}
