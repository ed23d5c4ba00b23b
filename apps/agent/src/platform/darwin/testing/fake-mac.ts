import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { temporaryFolder } from '../../../testing/test-agent.ts'
import type { Mac } from '../mac.ts'

/** An answer of a program: for arguments that fit a pattern of the shell. */
export type Answer = readonly [pattern: string, output: string, exitCode?: number]
export type Answers = Readonly<Record<string, readonly Answer[]>>

export interface FakeMac extends AsyncDisposable {
  mac: Mac
  /** The folder of the programs, and of this Mac's files. */
  path: string
  /** Every run so far, with its arguments. */
  asked(): Promise<string[]>
  /** Writes a file of this Mac. */
  file(path: string, content: string | Buffer): Promise<void>
}

/** A Mac whose programs print what was recorded; one without an answer ends with exit code 64. */
export async function fakeMac(answers: Answers, furtherPath = ''): Promise<FakeMac> {
  const folder = await temporaryFolder()
  const [bin, root, asked] = ['bin', 'root', 'asked'].map((name) => join(folder.path, name))
  if (bin === undefined || root === undefined || asked === undefined) throw new Error('unreachable')
  await Promise.all([mkdir(bin), mkdir(root)])
  for (const [program, list] of Object.entries(answers)) {
    const cases = await Promise.all(
      list.map(async ([pattern, output, exitCode = 0], index) => {
        const data = join(folder.path, `${program}-${index}`)
        await writeFile(data, output)
        return `  ${pattern}) /bin/cat '${data}' ${exitCode === 0 ? '' : '>&2'}; exit ${exitCode};;`
      }),
    )
    const script = ['#!/bin/sh', `echo "${program} $*" >> '${asked}'`, 'case "$*" in', ...cases, 'esac', 'exit 64', '']
    await writeFile(join(bin, program), script.join('\n'), { mode: 0o755 })
  }
  return {
    mac: { path: `${bin}${furtherPath}`, root },
    path: root,
    asked: async () => (await readFile(asked, 'utf8').catch(() => '')).trim().split('\n'),
    async file(path, content) {
      await mkdir(join(root, path, '..'), { recursive: true })
      await writeFile(join(root, path), content)
    },
    [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose](),
  }
}
