import { z } from 'zod'
import { isHostName } from './network/known-hosts.ts'

/** A setting is missing or wrong; the message names each variable and what it should be. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError'
}

/** Reads a process's settings: a zod object whose keys are the names of environment variables. Empty text counts as not set. */
export function readConfig<S extends z.ZodObject>(
  schema: S,
  environment: NodeJS.ProcessEnv = process.env,
): z.output<S> {
  const given = Object.fromEntries(
    Object.keys(schema.shape).flatMap((name) => (environment[name] ? [[name, environment[name]]] : [])),
  )
  const parsed = schema.safeParse(given)
  if (parsed.success) return parsed.data
  const lines = parsed.error.issues.map((issue) => {
    const name = issue.path.join('.')
    return `${name} ${name in given ? 'is wrong' : 'is not set'}: ${issue.message}`
  })
  throw new ConfigError(`Settings:\n  ${lines.join('\n  ')}`)
}

/** A port; 0 lets the system choose. */
export const port = (otherwise: number) =>
  z.coerce.number({ error: 'should be a port number, 0 to 65535' }).int().min(0).max(65_535).default(otherwise)
/** `true`/`false`, `1`/`0`, `yes`/`no`, `on`/`off`. */
export const onOff = (otherwise: boolean) => z.stringbool({ error: 'should be true or false' }).default(otherwise)
/** A whole number between two bounds. */
export const wholeNumber = (least: number, most: number, otherwise: number) =>
  z.coerce
    .number({ error: `should be a whole number, ${least} to ${most}` })
    .int()
    .min(least)
    .max(most)
    .default(otherwise)
export const postgresUrl = () =>
  z
    .url({ protocol: /^postgres(ql)?$/, error: 'should look like postgres://user:password@host:5432/database' })
    .refine(hasChosenPassword, placeholderPassword)
const placeholder =
  /change[-_. ]?(me|it|this)|replace[-_. ]?(me|this)|your[-_. ]?password|placeholder|<.*>|^(pass(word|wort)?|admin|muster|letmein|example)\d*!?$/i

/** Whether the text is a placeholder from an example instead of a chosen secret. */
export const isPlaceholder = (secret: string): boolean => placeholder.test(secret)

const decoded = (text: string) => {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
/** Whether the password in a server's URL, if any, is more than a placeholder. */
export const hasChosenPassword = (url: string): boolean =>
  !URL.canParse(url) || !isPlaceholder(decoded(new URL(url).password))
export const placeholderPassword = { error: 'has a password from an example: choose one of its own' }
/** A password or token that an operator gives. */
export const chosenSecret = () =>
  z.string().refine((secret) => !isPlaceholder(secret), { error: 'is a value from an example: choose one of its own' })

/** The address of one Redis, or those of several nodes of a cluster, separated by commas. */
export const redisUrl = () =>
  z
    .string({ error: 'should look like redis://host:6379' })
    .refine(
      (value) => value.split(',').every((part) => z.url({ protocol: /^rediss?$/ }).safeParse(part.trim()).success),
      { error: 'should look like redis://host:6379, or several of these with commas between for a cluster' },
    )
    .refine((value) => value.split(',').every((part) => hasChosenPassword(part.trim())), placeholderPassword)
/**
 * Until when agents of protocol 1, which cannot check signatures, are given commands; after it only updates.
 * A date, which begins at midnight UTC, or a moment. In milliseconds since 1970.
 */
export const unsignedAgentsUntil = () =>
  z
    .union([z.iso.date(), z.iso.datetime({ offset: true })], { error: 'should be a date such as 2027-06-01' })
    .default('2027-06-01')
    .transform((date) => Date.parse(date))
/** Host names, without scheme and port, with commas between. */
const hostNames = () =>
  z
    .string()
    .default('')
    .transform((text) => text.split(',').flatMap((name) => (name.trim() === '' ? [] : [name.trim()])))
    .pipe(
      z.array(
        z.string().refine(isHostName, {
          error: 'should be host names without scheme and port, such as muster.example.com, with commas between',
        }),
      ),
    )
/** The settings of every process that answers HTTP: its own names are those of its addresses, and these. */
export const hostSettings = { ALLOWED_HOSTS: hostNames() }
/** Addresses and networks in CIDR form, with commas between. */
export const networks = () =>
  z
    .string()
    .default('')
    .transform((text) => text.split(',').flatMap((network) => (network.trim() === '' ? [] : [network.trim()])))
    .pipe(
      z.array(
        z.union([z.ipv4(), z.ipv6(), z.cidrv4(), z.cidrv6()], {
          error: 'should be addresses or networks such as 10.20.0.0/16, with commas between',
        }),
      ),
    )
/** Networks in CIDR form that are not public and may be reached all the same, with commas between. */
export const privateNetworks = () =>
  z
    .string()
    .default('')
    .transform((text) => text.split(',').flatMap((network) => (network.trim() === '' ? [] : [network.trim()])))
    .pipe(z.array(z.union([z.cidrv4(), z.cidrv6()], { error: 'should be networks such as 10.20.0.0/16' })))
export const logLevel = () => z.enum(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent']).default('info')
