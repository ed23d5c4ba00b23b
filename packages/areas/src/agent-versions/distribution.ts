import { createHash } from 'node:crypto'
import { asSystem } from '@muster/db/database.ts'
import { notFound } from '@muster/kit/errors.ts'
import type { RawAnswer } from '@muster/kit/run.ts'
import { readSmall } from '@muster/releases/store.ts'
import { ReleaseTarget } from '@muster/wire/release.ts'
import { type Call, implement } from '../operation.ts'
import { distribution as contract } from './distribution.contract.ts'
import { executableAnswer, storedExecutable } from './executable.ts'
import { installScript } from './install-script.ts'
import { isKnown } from './served-file.ts'
import { findExecutable } from './versions.queries.ts'

export default implement(contract, {
  async download(call) {
    const wanted = { ...call.input, kind: 'agent' as const }
    return executableAnswer(call, await asSystem(call.services.system, (db) => findExecutable(db, wanted)))
  },

  async installScript(call) {
    const script = await installScript(call.services)
    return small(call, Buffer.from(script), 'text/x-shellscript; charset=utf-8', false)
  },

  async metadata(call) {
    const { name } = call.input
    return small(call, await stored(call, `metadata/${name}`), 'application/json', /^\d/.test(name))
  },

  async checksums(call) {
    const { version, name } = call.input
    const type = name === 'SHA256SUMS' ? 'text/plain; charset=utf-8' : 'application/octet-stream'
    return small(call, await stored(call, `targets/${version}/${name}`), type, false)
  },

  async target(call) {
    const { version, platform, name } = call.input
    const [os, arch] = platform.split('-')
    const target = ReleaseTarget.parse({ version, os, arch })
    const [, sha256] = /^([0-9a-f]{64})\./.exec(name) ?? []
    const own = sha256 === undefined ? null : await storedExecutable(call, { ...target, sha256 }, true)
    if (own !== null) return own
    const found = await asSystem(call.services.system, (db) => findExecutable(db, { ...target, kind: 'agent' }))
    if (sha256 !== undefined && found?.sha256 !== sha256) throw notFound('File')
    return executableAnswer(call, found)
  },
})

async function stored({ services }: Pick<Call, 'services'>, path: string): Promise<Buffer> {
  const bytes = services.releases === null ? null : await readSmall(services.releases, path)
  if (bytes === null) throw notFound('File')
  return bytes
}

/** A small file as a whole, with its hash as its tag: the newest metadata keeps its name when it changes. */
function small({ request }: Pick<Call, 'request'>, bytes: Buffer, type: string, immutable: boolean): RawAnswer {
  const etag = `"${createHash('sha256').update(bytes).digest('hex').slice(0, 32)}"`
  const headers = {
    'content-type': type,
    etag,
    'cache-control': immutable ? 'public, max-age=31536000, immutable' : 'no-cache',
    'x-content-type-options': 'nosniff',
  }
  return isKnown(request, etag) ? { status: 304, headers, body: null } : { headers, body: bytes }
}
