import type { Pinged } from '../platform.ts'

/** Reads the answers of `ping.exe` in any language: each has one time, while the summary has three in one line. */
export function pingedOf(output: string): Pinged {
  const times = output.split(/\r?\n/).flatMap((line) => {
    const found = [...line.matchAll(/[=<]\s*(\d+)\s*ms/g)]
    return found.length === 1 ? [Number(found[0]?.[1])] : []
  })
  const sum = times.reduce((total, time) => total + time, 0)
  return { received: times.length, averageMs: times.length === 0 ? null : sum / times.length }
}
