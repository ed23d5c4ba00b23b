// install.ps1 as it is served. It never runs here: what it compiles is in release-signature.test.ts.
import { createHash } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { asSystem } from '@muster/db/database.ts'
import { createPool } from '@muster/db/pool.ts'
import { DiskStore } from '@muster/files/disk-store.ts'
import type { RawAnswer } from '@muster/kit/call.ts'
import { createReleaseKey } from '@muster/releases/keys.ts'
import { Repository } from '@muster/releases/repository.ts'
import { call } from '@muster/testkit/call.ts'
import { testServices } from '@muster/testkit/services.ts'
import { ownDatabase } from '@muster/testkit/stores.ts'
import treeSitter from '@vscode/tree-sitter-wasm'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createRuntime } from '../../../runtime.ts'
import { distribution } from '../distribution.contract.ts'
import { publishedIn, register } from '../registration.ts'

const scratch = mkdtempSync(join(tmpdir(), 'muster-install-windows-'))
const database = await ownDatabase()
const system = createPool({ url: database.systemUrl, name: 'install-windows', max: 2 })
const store = new DiskStore(scratch)
const services = { ...(await testServices()), system, releases: store }
const runtime = createRuntime(services)
const { publicUrl } = services.settings
const version = '700000.2.0'
const agent = 'MZ agent'
const key = createReleaseKey()
afterAll(async () => {
  rmSync(scratch, { recursive: true })
  await system.end()
  await database.drop()
})

describe('the install script for Windows', () => {
  let text = ''
  beforeAll(async () => {
    const [repository, online] = [new Repository(store), createReleaseKey()]
    await repository.begin({ release: [key], threshold: 1, online })
    const executables = (['x64', 'arm64'] as const).map((arch) => {
      return { version, os: 'windows' as const, arch, bytes: Buffer.from(agent) }
    })
    await repository.add(executables, [key])
    await repository.renew(online)
    const published = await publishedIn(store)
    await asSystem(system, (db) => register(db, published))
    const { body } = (await call(null, distribution.windowsInstallScript, {}, { runtime })) as RawAnswer
    text = Buffer.from(body as Uint8Array).toString()
  })

  it('is valid PowerShell, in characters that every code page has', async () => {
    const { Language, Parser } = treeSitter
    await Parser.init()
    const parser = new Parser()
    const grammar = createRequire(import.meta.url).resolve('@vscode/tree-sitter-wasm/wasm/tree-sitter-powershell.wasm')
    parser.setLanguage(await Language.load(grammar))
    const wrong = (source: string) =>
      parser
        .parse(source)
        ?.rootNode.descendantsOfType('ERROR')
        .map((node) => node?.startPosition)
    expect(wrong('if ($true) { ) }')).not.toEqual([])
    expect(wrong(text)).toEqual([])
    expect(parser.parse(text)?.rootNode.hasError).toBe(false)
    expect(text).toMatch(/^[\x20-\x7e\n]*$/)
  })

  it('removes the identity also where the executable is gone, and nothing without -Uninstall', () => {
    const [, removing = ''] = /\nfunction Remove-Agent[^\n]*\{\n([\s\S]*?)\n\}\n/.exec(text) ?? []
    expect(removing).toMatch(/\n {4}if \(\$Purge\) \{ Remove-Folder \$data \}\n/)
    expect(text).toContain("if ($Purge -and -not $Uninstall) { Fail '-Purge needs -Uninstall' }")
  })

  it('knows this server, its releases, its keys and how to check signatures', () => {
    const hash = createHash('sha256').update(agent).digest('hex')
    expect(text).not.toMatch(/@[A-Z]+@/)
    expect(text).toContain(`[string] $Server = '${publicUrl}'`)
    expect(text).toContain(`\n${version} windows-x64 ${hash}\n`)
    expect(text).toContain(`\n${version} windows-arm64 ${hash}\n`)
    expect(text).toContain('\n$threshold = 1\n')
    const [, trusted] = /\$trustedKeys = @'\n([^']*)\n'@/.exec(text) ?? []
    expect(trusted).toBe(key.pem.trim())
    // The end of a text in PowerShell must not be inside it.
    const [, verifier = ''] = /\$verifier = @'\n([\s\S]*?)\n'@/.exec(text) ?? []
    expect(verifier).toContain('public static int Signers')
    expect(verifier.endsWith('\n}')).toBe(true)
  })
})
