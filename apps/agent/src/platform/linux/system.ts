import { readFile } from 'node:fs/promises'
import { hostname, release } from 'node:os'
import { readIfPresent } from '../../durable-file.ts'
import type { SystemFacts } from '../platform.ts'

export async function machineSeed(): Promise<string | undefined> {
  for (const path of ['/etc/machine-id', '/var/lib/dbus/machine-id']) {
    const seed = (await readIfPresent(path))?.trim()
    if (seed) return seed
  }
  return undefined
}

export async function facts(): Promise<SystemFacts> {
  const distribution = await readDistribution()
  return {
    hostname: hostname().slice(0, 255) || 'localhost',
    osType: 'linux',
    osName: (distribution.NAME ?? 'Linux').slice(0, 255),
    osVersion: distribution.VERSION_ID?.slice(0, 255),
    kernelVersion: release().slice(0, 255),
    architecture: process.arch,
  }
}

async function readDistribution(): Promise<Record<string, string>> {
  for (const path of ['/etc/os-release', '/usr/lib/os-release']) {
    const text = await readFile(path, 'utf8').catch(() => undefined)
    if (text !== undefined) return parseOsRelease(text)
  }
  return {}
}

/** The assignments of an os-release file: shell syntax, but only plain quotes and backslashes occur. */
export function parseOsRelease(text: string): Record<string, string> {
  const entries: Record<string, string> = {}
  for (const line of text.split('\n')) {
    const match = /^([A-Z0-9_]+)=(?:"(.*)"|'(.*)'|(.*))$/.exec(line.trim())
    if (match?.[1] === undefined) continue
    entries[match[1]] = (match[2] ?? match[3] ?? match[4] ?? '').replaceAll(/\\(["'$`\\])/g, '$1')
  }
  return entries
}
