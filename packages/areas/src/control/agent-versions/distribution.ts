import { asSystem } from '@muster/db/database.ts'
import { readSmall } from '@muster/files/object-store.ts'
import { notFound } from '@muster/kit/errors.ts'
import { ReleaseTarget } from '@muster/wire/release.ts'
import { type Call, implement } from '../../operation.ts'
import { distribution as contract } from './distribution.contract.ts'
import { executableAnswer, installerAnswer, storedExecutable } from './executable.ts'
import { powerShellScript, shellScript } from './install/install-script.ts'
import { serveBytes } from './served-file.ts'
import { findExecutable } from './versions.queries.ts'

export default implement(contract, {
  async download(call) {
    const wanted = { ...call.input, kind: 'agent' as const }
    const found = await asSystem(call.services.system, (db) => findExecutable(db, wanted))
    return wanted.format === 'msi' ? installerAnswer(call, wanted, found) : executableAnswer(call, wanted, found)
  },

  async installScript(call) {
    const script = await shellScript(call.services)
    return serveBytes(call.request, Buffer.from(script), 'text/x-shellscript; charset=utf-8', false)
  },

  async windowsInstallScript(call) {
    const script = await powerShellScript(call.services)
    return serveBytes(call.request, Buffer.from(script), 'text/plain; charset=utf-8', false)
  },

  async metadata(call) {
    const { name } = call.input
    return serveBytes(call.request, await stored(call, `metadata/${name}`), 'application/json', /^\d/.test(name))
  },

  async checksums(call) {
    const { version, name } = call.input
    const type = name === 'SHA256SUMS' ? 'text/plain; charset=utf-8' : 'application/octet-stream'
    return serveBytes(call.request, await stored(call, `targets/${version}/${name}`), type, false)
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
    return executableAnswer(call, target, found)
  },
})

async function stored({ services }: Pick<Call, 'services'>, path: string): Promise<Buffer> {
  const bytes = services.releases === null ? null : await readSmall(services.releases, path)
  if (bytes === null) throw notFound('File')
  return bytes
}
