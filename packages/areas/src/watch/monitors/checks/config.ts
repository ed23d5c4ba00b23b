// The config of each type of monitor: checked, split into what is shown and what is sealed, and made into a check of the agent.
import type { Caller } from '@muster/kit/access.ts'
import { hasPermission } from '@muster/kit/access.ts'
import { denied, invalid } from '@muster/kit/errors.ts'
import { inputError } from '@muster/kit/operation/input.ts'
import { plainWords } from '@muster/kit/schema/plain-words.rules.ts'
import { DnsCheck } from '@muster/wire/checks/probes.ts'
import { AssignedCheck } from '@muster/wire/messages/assignment.ts'
import { z } from 'zod'
import { faultOfHost, faultOfName, faultOfPort, faultOfServer, faultOfUrl } from '../../alerts/index.ts'
import type { MonitorType } from '../words.contract.ts'

const text = (most: number) =>
  z
    .string()
    .max(most)
    .refine((given) => !given.includes('\0'), { error: 'must not contain NUL' })
const headerName = z.string().regex(/^[!#$%&'*+.^_`|~0-9a-z-]{1,100}$/i, { error: 'must be names of headers' })
/** The agent frames its requests itself. */
const framing = ['connection', 'content-length', 'expect', 'te', 'trailer', 'transfer-encoding', 'upgrade']
const headerValue = text(4_096).refine((given) => !/[\r\n]/.test(given), { error: 'must not contain line breaks' })

const Ping = z.strictObject({ count: z.int().min(1).max(10).default(3) })
const Tcp = z.strictObject({ port: z.int().min(1).max(65_535), expect: text(1_000).min(1).optional() })
const Http = z.strictObject({
  method: z.enum(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']).default('GET'),
  expectStatus: z.array(z.int().min(100).max(599)).min(1).max(50).optional(),
  expectBody: text(1_000).min(1).optional(),
  verifyTls: z.boolean().default(true),
  certificateDays: z.int().min(1).max(365).nullable().default(null),
  /** What answers show of the sealed fields. It is ignored in requests. */
  headerNames: z.array(z.string()).optional(),
  hasBody: z.boolean().optional(),
})
const HttpSecrets = z.object({
  headers: z
    .record(
      headerName.refine((name) => !framing.includes(name.toLowerCase()), { error: 'must not frame the request' }),
      headerValue,
    )
    .refine((given) => Object.keys(given).length <= 50, { error: 'must have at most 50 names' })
    .optional(),
  body: text(16_384).nullable().optional(),
})
const Dns = z.strictObject({
  recordType: DnsCheck.shape.recordType.default('A'),
  server: text(64).optional(),
  expect: z.array(text(1_000).min(1)).max(50).optional(),
})

/** Fields of a request that may be secret. */
export const Secrets = z.object({
  headers: z.record(z.string(), z.string()).optional(),
  body: z.string().nullable().optional(),
})
export type Secrets = Readonly<z.infer<typeof Secrets>>

export type Config = Readonly<Record<string, unknown>>

/** The config in the database. */
const StoredConfig = z.record(z.string(), z.json())

/** What a stored config shows of the sealed fields. */
export const SealedFields = z.object({
  headerNames: z.array(z.string()).default([]),
  hasBody: z.boolean().default(false),
})

interface Configured {
  /** To store and to show. */
  readonly config: Config
  /** To seal. Undefined: those that are stored stay. */
  readonly secrets: Secrets | undefined
}

interface Given {
  readonly type: MonitorType
  readonly target: string
  readonly config: Config
  readonly isPinned: boolean
}

function parsed<S extends z.ZodType>(schema: S, config: unknown): z.output<S> {
  const found = schema.safeParse(config, { error: plainWords })
  if (found.success) return found.data
  throw inputError(new z.ZodError(found.error.issues.map((issue) => ({ ...issue, path: ['config', ...issue.path] }))))
}

const requireSound = (field: string, fault: string | null): void => {
  if (fault !== null) throw invalid(`${field}: ${fault}`)
}

/** @throws VALIDATION_ERROR for a target or config that monitors of the type do not have */
export function configured({ type, target, config, isPinned }: Given): Configured {
  requireSound('target', type === 'http' ? faultOfUrl(target, isPinned) : null)
  if (type === 'ping' || type === 'tcp') requireSound('target', faultOfHost(target, isPinned))
  if (type === 'ping') return { config: parsed(Ping, config), secrets: undefined }
  if (type === 'tcp') {
    const tcp = parsed(Tcp, config)
    requireSound('config.port', faultOfPort(tcp.port))
    return { config: tcp, secrets: undefined }
  }
  if (type === 'dns') {
    requireSound('target', faultOfName(target))
    const dns = parsed(Dns, config)
    if (dns.server !== undefined) requireSound('config.server', faultOfServer(dns.server, isPinned))
    return { config: dns, secrets: undefined }
  }
  const { headers, body, ...shown } = config
  const { headerNames: _, hasBody: __, ...http } = parsed(Http, shown)
  const isGiven = headers !== undefined || body !== undefined
  return { config: http, secrets: isGiven ? parsed(HttpSecrets, { headers, body }) : undefined }
}

/**
 * The config to store and to show. It names the headers of secrets and says whether there is a body; when the secrets stay,
 * it says what `before` said.
 */
export function storedConfig(
  type: MonitorType,
  config: Config,
  secrets: Secrets | undefined,
  before: Config = {},
): z.infer<typeof StoredConfig> {
  if (type !== 'http') return StoredConfig.parse(config)
  if (secrets === undefined) return StoredConfig.parse({ ...config, ...SealedFields.parse(before) })
  const { headers = {}, body } = secrets
  return StoredConfig.parse({ ...config, headerNames: Object.keys(headers), hasBody: body != null })
}

/** @throws FORBIDDEN: a request that changes something is a command */
export function requireMethod(caller: Caller, { method }: Config): void {
  if (method === undefined || method === 'GET' || method === 'HEAD') return
  if (!hasPermission(caller, 'devices:execute'))
    throw denied('Permission denied: devices:execute is required for methods other than GET and HEAD')
}

export interface Checked {
  readonly id: string
  readonly type: MonitorType
  readonly target: string
  readonly config: Config
  readonly deviceId: string | null
  readonly intervalSeconds: number
  readonly timeoutSeconds: number
  readonly retries: number
  readonly degradedMs: number | null
}

/** What the agent repeats. Sealed fields are added when it is sent. */
export function assignedCheck(monitor: Checked): AssignedCheck {
  const { degradedMs } = monitor
  return AssignedCheck.parse({
    id: monitor.id,
    everySeconds: monitor.intervalSeconds,
    timeoutSeconds: monitor.timeoutSeconds,
    confirmRounds: monitor.retries + 1,
    ...(degradedMs === null ? {} : { degradedMs }),
    ...(monitor.deviceId === null ? {} : { pinned: true }),
    check: checkOf(monitor),
  })
}

function checkOf({ type, target, config }: Checked): Config {
  const { certificateDays: _, headerNames: __, hasBody: ___, ...given } = config
  if (type === 'http') return { ...given, type, url: target }
  return type === 'dns' ? { ...given, type, name: target } : { ...given, type, host: target }
}
