import { randomBytes } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { redisAccessFile, redisLogin, redisPasswordHash, redisProcesses, redisUrlFor } from './redis-logins.ts'

export const redisLoginsUsage = `npm run keys -- redis <folder> [<host>:<port>]

Writes redis.acl, which gives each process a login of its own, and redis-admin.env, redis-worker.env and redis-ingest.env with
the address of Redis and that login; the address is redis:6379 unless given. Where redis.acl exists, the logins keep their
passwords and get the rights of this version.`

/** Creates the Redis logins of an installation, or updates the rights of existing ones. @throws with the usage */
export function writeRedisLogins([folder, address = 'redis:6379', ...more]: readonly string[]): void {
  if (folder === undefined || more.length > 0 || !URL.canParse(`redis://${address}`)) throw new Error(redisLoginsUsage)
  const file = join(folder, 'redis.acl')
  if (existsSync(file)) {
    writeFileSync(file, redisAccessFile(hashesIn(file)), { mode: 0o600 })
    return
  }
  const made = { admin: newPassword(), worker: newPassword(), ingest: newPassword() }
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const write = (path: string, text: string) => writeFileSync(path, text, { mode: 0o600, flag: 'wx' })
  for (const process of redisProcesses) {
    const url = redisUrlFor(`redis://${address}`, process, made[process])
    write(join(folder, `redis-${process}.env`), `REDIS_URL=${url}\n`)
  }
  const hashes = mapped((process) => redisPasswordHash(made[process]))
  write(file, redisAccessFile(hashes))
}

const newPassword = () => randomBytes(32).toString('base64url')

const mapped = <T>(of: (process: (typeof redisProcesses)[number]) => T) => ({
  admin: of('admin'),
  worker: of('worker'),
  ingest: of('ingest'),
})

function hashesIn(file: string) {
  const text = readFileSync(file, 'utf8')
  return mapped((process) => {
    const hash = new RegExp(`^user ${redisLogin(process)} .*?#([0-9a-f]{64})`, 'm').exec(text)?.[1]
    if (hash === undefined)
      throw new Error(`${file} has no login ${redisLogin(process)}; move the file away to create new logins`)
    return hash
  })
}
