import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'

const dist = fileURLToPath(new URL('../../apps/console/dist/', import.meta.url))
const Manifest = z.record(
  z.string(),
  z.object({
    file: z.string(),
    isEntry: z.boolean().default(false),
    isDynamicEntry: z.boolean().default(false),
    imports: z.array(z.string()).default([]),
  }),
)

describe('what people have to download', async () => {
  const manifest = Manifest.parse(JSON.parse(await readFile(`${dist}.vite/manifest.json`, 'utf8')))
  const compressed = async (name: string) => {
    const { file = '' } = manifest[name] ?? {}
    return file.endsWith('.js') ? gzipSync(await readFile(`${dist}${file}`), { level: 9 }).length : 0
  }
  /** A part and everything that has to be there before it runs. */
  const needed = (name: string, found = new Set<string>()): Set<string> => {
    if (found.has(name)) return found
    found.add(name)
    for (const next of manifest[name]?.imports ?? []) needed(next, found)
    return found
  }
  const weight = async (names: Iterable<string>) =>
    (await Promise.all([...names].map(compressed))).reduce((sum, bytes) => sum + bytes, 0)

  const [entry = ''] = Object.keys(manifest).filter((name) => manifest[name]?.isEntry)
  const atStart = needed(entry)

  test('at the start at most 250 kB of script', async () => {
    expect(await weight(atStart)).toBeLessThanOrEqual(250_000)
  })

  test('for a screen at most 120 kB more', async () => {
    const screens = Object.keys(manifest).filter((name) => manifest[name]?.isDynamicEntry)
    const weights = await Promise.all(
      screens.map(async (name) => ({
        name,
        bytes: await weight([...needed(name)].filter((part) => !atStart.has(part))),
      })),
    )
    expect(weights.length).toBeGreaterThan(5)
    expect(weights.filter(({ bytes }) => bytes > 120_000)).toEqual([])
  })
})
