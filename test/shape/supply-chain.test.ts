import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'

const read = (path: string) => readFileSync(fileURLToPath(new URL(`../../${path}`, import.meta.url)), 'utf8')
const Entry = z.object({
  integrity: z.string().optional(),
  link: z.boolean().optional(),
  optional: z.boolean().optional(),
  hasInstallScript: z.boolean().optional(),
})
const { packages } = z.object({ packages: z.record(z.string(), Entry) }).parse(JSON.parse(read('package-lock.json')))
const Allowed = z.object({ allowScripts: z.record(z.string(), z.boolean()) })
const { allowScripts } = Allowed.parse(JSON.parse(read('package.json')))
const entries = Object.entries(packages).flatMap(([path, entry]) =>
  path.includes('node_modules/') && entry.link !== true
    ? [{ name: path.replace(/.*node_modules\//, ''), ...entry }]
    : [],
)
const sha256 = z.record(z.string(), z.string().regex(/^[0-9a-f]{64}$/))

/**
 * Binaries for other platforms that the registry of this project's builds does not serve (404), so their hashes are
 * unknown. The list only shrinks: docs/supply-chain.md says how an operator completes the lock file.
 */
const withoutHash = new Set([
  '@biomejs/cli-android-arm64',
  '@biomejs/cli-android-x64',
  '@biomejs/cli-darwin-arm64',
  '@biomejs/cli-darwin-x64',
  '@biomejs/cli-linux-arm64-musl',
  '@biomejs/cli-linux-x64-musl',
  '@biomejs/cli-win32-arm64',
  '@biomejs/cli-win32-x64',
  '@msgpackr-extract/msgpackr-extract-darwin-arm64',
  '@msgpackr-extract/msgpackr-extract-darwin-x64',
  '@msgpackr-extract/msgpackr-extract-linux-arm',
  '@msgpackr-extract/msgpackr-extract-win32-x64',
  '@oxc-parser/binding-android-arm-eabi',
  '@oxc-parser/binding-android-arm64',
  '@oxc-parser/binding-darwin-arm64',
  '@oxc-parser/binding-darwin-x64',
  '@oxc-parser/binding-freebsd-x64',
  '@oxc-parser/binding-linux-arm-gnueabihf',
  '@oxc-parser/binding-linux-arm-musleabihf',
  '@oxc-parser/binding-linux-ppc64-gnu',
  '@oxc-parser/binding-linux-riscv64-gnu',
  '@oxc-parser/binding-linux-riscv64-musl',
  '@oxc-parser/binding-linux-s390x-gnu',
  '@oxc-parser/binding-openharmony-arm64',
  '@oxc-parser/binding-win32-arm64-msvc',
  '@oxc-parser/binding-win32-ia32-msvc',
  '@oxc-parser/binding-win32-x64-msvc',
  '@turbo/darwin-64',
  '@turbo/darwin-arm64',
  '@turbo/windows-64',
  '@turbo/windows-arm64',
  '@uwsjs/darwin-arm64-18',
  '@uwsjs/darwin-arm64-20',
  '@uwsjs/darwin-arm64-22',
  '@uwsjs/darwin-arm64-23',
  '@uwsjs/darwin-x64-18',
  '@uwsjs/darwin-x64-20',
  '@uwsjs/darwin-x64-22',
  '@uwsjs/darwin-x64-23',
  '@uwsjs/linux-arm-18',
  '@uwsjs/linux-arm-20',
  '@uwsjs/linux-arm-22',
  '@uwsjs/linux-arm-23',
  '@uwsjs/linux-arm64-18',
  '@uwsjs/linux-arm64-20',
  '@uwsjs/linux-arm64-22',
  '@uwsjs/linux-arm64-23',
  '@uwsjs/win32-x64-18',
  '@uwsjs/win32-x64-20',
  '@uwsjs/win32-x64-22',
  '@uwsjs/win32-x64-23',
])

describe('the supply chain', () => {
  test('every entry of the lock file has a hash, except listed binaries for other platforms', () => {
    const missing = entries.filter(({ integrity }) => integrity?.startsWith('sha512-') !== true)
    expect(missing.filter(({ name, optional }) => !withoutHash.has(name) || optional !== true)).toEqual([])
    const names = new Set(missing.map(({ name }) => name))
    expect([...withoutHash].filter((name) => !names.has(name))).toEqual([])
  })

  test('no npm runs an install script, and every package that has one is allowed or refused by name', () => {
    expect(read('.npmrc')).toMatch(/^ignore-scripts=true$/m)
    const scripted = entries.filter(({ hasInstallScript }) => hasInstallScript === true).map(({ name }) => name)
    expect(Object.keys(allowScripts).sort()).toEqual(scripted.sort())
  })

  test('images are built with the same rule', () => {
    const dockerfile = read('deploy/Dockerfile')
    const copies = dockerfile.match(/^COPY package\.json package-lock\.json \.npmrc/gm)
    expect(copies).toHaveLength(dockerfile.match(/\bnpm ci\b/g)?.length ?? 0)
    expect(dockerfile).not.toMatch(/chown -R node|npm (install|rebuild)/)
  })

  test('the repackaged native binaries are pinned by the very file', () => {
    const Runtimes = z.record(z.string(), z.object({ integrity: z.string().startsWith('sha512-'), sha256: z.string() }))
    const runtimes = Runtimes.parse(JSON.parse(read('scripts/runtimes.json')))
    const addons = Runtimes.parse(JSON.parse(read('scripts/addons.json')))
    for (const pins of [runtimes, addons])
      sha256.parse(Object.fromEntries(Object.entries(pins).map(([name, pin]) => [name, pin.sha256])))
    expect(Object.keys(runtimes)).toEqual(expect.arrayContaining(Object.keys(addons)))
    expect(Object.keys(sha256.parse(JSON.parse(read('scripts/native-files.json'))))).toContain(
      '@uwsjs/linux-x64-22/uws.node',
    )
  })
})
