import { type Logger, pino } from 'pino'

export type Log = Logger

const secrets = [
  'password',
  'newPassword',
  'currentPassword',
  'accessToken',
  'refreshToken',
  'tempToken',
  'authorization',
  'cookie',
  'certificate',
  'enrollmentKey',
  'key',
  'secret',
  'code',
]

/** JSON lines on standard output. Fields that hold secrets are replaced wherever they stand. */
export function createLog(name: string, level = 'info'): Log {
  return pino({
    name,
    level,
    base: { app: name, pid: process.pid },
    timestamp: pino.stdTimeFunctions.isoTime,
    redact: { paths: secrets.flatMap((field) => [field, `*.${field}`, `*.*.${field}`]), censor: '[redacted]' },
  })
}
