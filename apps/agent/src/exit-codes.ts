/**
 * 1 unexpected, 2 invalid command line, 3 a person has to act (`RestartPreventExitStatus=2 3` for systemd),
 * 75 another version has to be started in place of this one.
 */
export const exitCodes = { unexpected: 1, usage: 2, refused: 3, restart: 75 } as const
