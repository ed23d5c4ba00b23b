/** The cause and the remedy of an error code. */
export interface Advice {
  readonly cause: string
  readonly remedy: string
}

/** The codes of HTTP responses. The page of `npm run errors` does not compile without advice for each code. */
export const httpAdvice = {
  VALIDATION_ERROR: {
    cause:
      'A field of the path, query or body is missing, unknown or invalid. `message` names the first one, `issues` all.',
    remedy: 'Correct the fields that `issues` lists.',
  },
  BAD_REQUEST: {
    cause: 'The request is valid JSON but has no clear meaning here, or its HTTP is ambiguous.',
    remedy: 'Read `message`, correct the request and send it again.',
  },
  UNAUTHENTICATED: {
    cause: 'The credential is missing, invalid, expired or revoked.',
    remedy: 'Refresh the access token or sign in again. For programs: check the API key and its allowed addresses.',
  },
  FORBIDDEN: {
    cause:
      'The caller lacks the permission, the scope or the reach, or an account, partner or organization is not active (`partnerInactive` for the partner). With `confirm`: a fresh proof is required.',
    remedy:
      'Ask an administrator for access. With `confirm`: send the fields in `confirmFields`, or call `POST /auth/confirm` first.',
  },
  EMAIL_NOT_VERIFIED: {
    cause: 'The email address of the account is not verified yet.',
    remedy: 'Open the link in the verification email, or request another with `POST /auth/resend-verification`.',
  },
  SSO_REQUIRED: {
    cause: 'The organization requires single sign-on.',
    remedy: 'Send the user to `loginUrl`.',
  },
  NOT_PERMITTED: {
    cause:
      'The agent on the device has no right to the target, for example a registry key that only the system may open, or to the command as it does not run as root.',
    remedy: 'Choose another target, change its permissions on the device, or run the agent as root.',
  },
  APPROVAL_REQUIRED: {
    cause:
      'The command exceeds the blast radius, the partner requires a second person, and this operation cannot wait for one.',
    remedy: 'Send it with `POST /devices/bulk/commands`, which requests the approval.',
  },
  NOT_FOUND: {
    cause:
      'The resource does not exist, was deleted, or is outside the reach of the caller. The response does not say which.',
    remedy: 'Check the ID, and the organization in which the caller acts.',
  },
  METHOD_NOT_ALLOWED: {
    cause: 'The path exists, but not with this method.',
    remedy: 'Use a method that the API reference lists for the path.',
  },
  CONFLICT: {
    cause:
      'The state of the resource does not allow the change, a value is taken (`field`), or another request changed the resource first.',
    remedy: 'Read the resource again, decide again, and send a new request.',
  },
  ALREADY_PENDING: {
    cause: 'The same command is already pending for the device.',
    remedy: 'Wait for the pending command, or cancel it.',
  },
  COMMANDS_STOPPED: {
    cause: 'An administrator stopped commands. `reason` says why, `since` when.',
    remedy: 'Wait until the stop is lifted with `POST /commands/allow`.',
  },
  NO_PROBE: {
    cause: 'No connected device can check this monitor.',
    remedy: 'Connect an agent at the site of the monitor, or wait until one is back.',
  },
  DEVICE_OFFLINE: {
    cause: 'An interactive command needs a connected device, and this one is offline.',
    remedy: 'Try again when the device is online, or send a queued command.',
  },
  DEVICE_BUSY: {
    cause: 'The agent already runs as many requests as it accepts at once.',
    remedy: 'Try again after a few seconds.',
  },
  DEVICE_REFUSED: {
    cause: 'The agent refused or failed. `deviceCode` and `message` say why.',
    remedy: 'Look up `deviceCode` under [codes of agents](#codes-of-agents).',
  },
  AGENT_TOO_OLD: {
    cause: 'The agent on the device does not know this command, or cannot verify signed orders.',
    remedy: 'Update the agent.',
  },
  IN_MAINTENANCE: {
    cause:
      'A maintenance window holds scripts, or restarts and shutdowns, back on the device. `windowId` names it, `until` says when it ends, `nextPermittedAt` when they may run again.',
    remedy: 'Wait until then, or send the command with `respectMaintenance: false`, which is recorded.',
  },
  MISSING_TOOL: {
    cause: 'The device lacks a program that the command or script language needs, for example systemd or Python.',
    remedy: 'Install it, then refresh the inventory: the agent looks again and reports it.',
  },
  PRECONDITION_FAILED: {
    cause: '`If-Match` names a version that is not the current one, or the path has no versions.',
    remedy: 'Read the resource again and repeat the change with the new `ETag`.',
  },
  PAYLOAD_TOO_LARGE: {
    cause: 'The body, a payload or a file is larger than the limit, or a request names too many devices.',
    remedy: 'Send less in one request.',
  },
  UNSUPPORTED_MEDIA_TYPE: {
    cause: 'The `Content-Type`, the character set or the `Content-Encoding` of the body is not accepted.',
    remedy: 'Send JSON in UTF-8 as `application/json`, or files as `application/octet-stream`, without compression.',
  },
  MISDIRECTED: {
    cause: 'The host name of the request is not a name of this installation.',
    remedy: 'Use the public address. Operators add further names to `ALLOWED_HOSTS`.',
  },
  UNSUPPORTED_PLATFORM: {
    cause: 'The operating system of the device does not have this feature, for example a Windows registry.',
    remedy: 'Send the command only to devices whose `osType` supports it.',
  },
  IDEMPOTENCY_KEY_REUSED: {
    cause: 'The `Idempotency-Key` was used before with a different input.',
    remedy: 'Use a new key for each new request.',
  },
  MFA_REQUIRED: {
    cause: 'A role or the organization requires multi-factor authentication, and this session has not passed it.',
    remedy: 'Enroll a factor, or sign in with it.',
  },
  RATE_LIMITED: {
    cause: 'Too many requests or failed attempts within a period.',
    remedy: 'Wait `retryAfter` seconds.',
  },
  INTERNAL: {
    cause: 'An unexpected failure of the server.',
    remedy: 'Try again once. If it persists, report `requestId` to the operator, whose logs contain it.',
  },
  UNAVAILABLE: {
    cause: 'A part of the service is overloaded, restarting or unreachable.',
    remedy: 'Try again after `retryAfter` seconds.',
  },
  DEVICE_TIMEOUT: {
    cause: 'The device is connected but did not answer in time.',
    remedy: 'Try again. If it persists, check the load of the machine.',
  },
} as const satisfies Readonly<Record<string, Advice>>
