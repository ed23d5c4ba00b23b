import type { Advice } from '@muster/areas/error-advice.rules.ts'
import type { OrderFault } from '@muster/wire/messages/refusal.ts'
import type { updateReasons } from '@muster/wire/messages/update-status.ts'
import type { ErrorCode } from '../../apps/agent/src/error-code.ts'

/** The codes with which an agent reports that a command failed. */
export const agentAdvice: Readonly<Record<Exclude<ErrorCode, OrderFault>, Advice>> = {
  UNSUPPORTED_COMMAND: {
    cause: 'This version of the agent does not support the command.',
    remedy: 'Update the agent.',
  },
  INVALID_PAYLOAD: {
    cause: 'The payload does not fit the command, or names a folder that the machine does not have.',
    remedy: 'Correct the payload.',
  },
  INTERRUPTED: {
    cause: 'The agent or the machine stopped while the command ran. The agent does not run it again.',
    remedy: 'Check what the command did, then send it again if needed.',
  },
  JOURNAL_UNAVAILABLE: {
    cause: 'The agent could not write its journal, so it did not start the command. Usually the disk is full.',
    remedy: 'Free space on the disk of the agent’s data folder, then send the command again.',
  },
  RESULT_FORGOTTEN: {
    cause: 'The command ran before, but the agent no longer has its result.',
    remedy: 'Check the effect on the machine.',
  },
  COMMAND_FAILED: { cause: 'A program or the operating system reported an error.', remedy: 'Read the message.' },
  INTERPRETER_NOT_FOUND: {
    cause: 'The machine does not have the interpreter of the script.',
    remedy: 'Install it, or choose another language.',
  },
  SCRIPT_NOT_STARTED: { cause: 'The operating system could not start the script.', remedy: 'Read the message.' },
  EXIT_CODE: { cause: 'The script ended with an exit code other than 0.', remedy: 'Read `stdout` and `stderr`.' },
  SIGNAL: { cause: 'A signal ended the script.', remedy: 'Check memory limits and who ended it.' },
  NOT_FOUND: {
    cause: 'The file, process, service, task, log or user does not exist on the machine.',
    remedy: 'List again; it may have ended or been deleted.',
  },
  DENIED: {
    cause: 'The path is closed, the target is a folder or link, or the agent has no right to it.',
    remedy: 'Choose another target. See [commands.md](commands.md#files-logs-and-tasks) for closed paths.',
  },
  EXISTS: { cause: 'A file with this name exists.', remedy: 'Allow overwriting, or choose another name.' },
  CHANGED: {
    cause: 'The file or process changed between two steps, for example a reused PID.',
    remedy: 'Read again and repeat.',
  },
  TOO_LARGE: { cause: 'The file or the answer is larger than the limit.', remedy: 'Ask for less at once.' },
  BUSY: { cause: 'The agent runs as many requests or uploads as it accepts at once.', remedy: 'Try again shortly.' },
  TIMED_OUT: { cause: 'The operation took longer than its limit.', remedy: 'Try again, or raise the timeout.' },
  UNSUPPORTED_PLATFORM: {
    cause: 'The operating system does not have this feature.',
    remedy: 'Send the command to other devices only.',
  },
  NO_SERVICE_MANAGER: {
    cause: 'The machine does not run systemd.',
    remedy: 'Use scripts to manage its services.',
  },
  NOT_PERMITTED: {
    cause: 'The operating system does not let the account of the agent do this.',
    remedy: 'Check the access list of the key, service or file.',
  },
  NO_USER_SESSION: {
    cause:
      'The script asks for the account of the signed-in user, but no user is signed in at the machine. On Windows also: `runAsUser` is not signed in.',
    remedy: 'Run it without `runAs`, name an account in `runAsUser`, or run it again when a user is signed in.',
  },
  UNSIGNED_SCRIPT: {
    cause: 'The script has no grant of admin, or the agent does not trust the key that signed it.',
    remedy:
      'Run a script again that waited since before an upgrade. After a rotation of the grant keys, restart admin. Otherwise treat as a break-in at the worker or the database.',
  },
  GRANT_MISMATCH: {
    cause: 'The grant is for another device, or for another script, argument, variable, account or timeout.',
    remedy: 'Treat as a break-in at the worker or the database.',
  },
  GRANT_EXPIRED: {
    cause: 'The grant had expired when the script was about to start.',
    remedy: 'Check the clock of the machine, then run the script again.',
  },
  SECRET_NOT_FOUND: {
    cause: 'A secret that the script names was deleted or renamed after the script was sent.',
    remedy: 'Create the secret, then run the script again.',
  },
  SECRETS_UNREADABLE: {
    cause: 'The sealed secrets were altered, or sealed for another command.',
    remedy: 'Treat as a break-in at Redis or a gateway.',
  },
}

/** Why an agent refused a signed order. Each is a possible attack. */
export const orderAdvice: Readonly<Record<OrderFault, Advice>> = {
  ORDER_UNSIGNED: { cause: 'The command came without an order.', remedy: 'Treat as a break-in at ingest.' },
  ORDER_MALFORMED: { cause: 'The order cannot be read.', remedy: 'Treat as a break-in, or as a version mismatch.' },
  ORDER_FOREIGN: { cause: 'The order is for another device.', remedy: 'Treat as a break-in.' },
  ORDER_KEY_UNKNOWN: {
    cause: 'The agent does not trust the key that signed the order.',
    remedy: 'Check that a rotation of the order keys was completed. Otherwise treat as a break-in.',
  },
  ORDER_SIGNATURE_INVALID: { cause: 'The signature does not match the order.', remedy: 'Treat as a break-in.' },
  ORDER_EXPIRED: {
    cause: 'The order arrived after it expired.',
    remedy: 'Check the clocks of the machine and the servers. Otherwise treat as a break-in.',
  },
  ORDER_REPLAYED: { cause: 'The order was executed before.', remedy: 'Treat as a break-in.' },
}

/** Why an agent refused or rolled back an update. */
export const updateAdvice: Readonly<Record<(typeof updateReasons)[number], Advice>> = {
  auto_update_off: {
    cause: 'Automatic updates are off on this device.',
    remedy: 'Turn them on with `POST /devices/:id/auto-update`.',
  },
  barred: { cause: 'The version failed on this machine before.', remedy: 'Publish another version.' },
  not_newer: { cause: 'The version is not newer than the installed one.', remedy: 'None. Downgrades are manual.' },
  wrong_target: { cause: 'The executable is for another platform.', remedy: 'Sign and publish the right executable.' },
  cannot_replace_itself: {
    cause: 'No watchdog runs, or the agent does not run from its installed executable.',
    remedy: 'Run the installed executable under its watchdog.',
  },
  expired_offer: { cause: 'The agent could not start before the deadline.', remedy: 'None. Another offer follows.' },
  download_failed: {
    cause: 'The executable could not be downloaded.',
    remedy: 'Check the network and proxies between the machine and the releases.',
  },
  size_mismatch: { cause: 'The download has another size.', remedy: 'Check proxies and the release host.' },
  hash_mismatch: { cause: 'The download has another hash.', remedy: 'Check proxies and the release host.' },
  untrusted: {
    cause: 'The metadata is not signed by keys that the agent trusts.',
    remedy: 'Check which root the agent was built with, and sign with its keys.',
  },
  metadata_expired: {
    cause: 'The signed metadata has expired.',
    remedy: 'Renew the signatures, or correct the clock of the machine.',
  },
  disk_full: { cause: 'The disk is full.', remedy: 'Free space beside the executable.' },
  file_locked: { cause: 'Another program holds the executable open.', remedy: 'None. The agent tries again.' },
  install_failed: { cause: 'The executable could not be replaced.', remedy: 'Check the rights on its folder.' },
  did_not_start: { cause: 'The new version ended repeatedly and was rolled back.', remedy: 'Read the agent’s log.' },
  did_not_connect: { cause: 'The new version did not connect and was rolled back.', remedy: 'Read the agent’s log.' },
  no_heartbeat: {
    cause: 'The new version sent no acknowledged heartbeat in time and was rolled back.',
    remedy: 'Read the agent’s log.',
  },
  order_refused: { cause: 'The offer came without a valid order.', remedy: 'See [orders](#refused-orders).' },
}
