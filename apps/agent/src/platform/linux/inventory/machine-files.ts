import { readdir, readFile, realpath } from 'node:fs/promises'
import { basename, join } from 'node:path'
import type { DiskEncryption, Hardware } from '@muster/wire/messages/inventory.ts'
import { word } from '../../inventory-values.ts'

const secureBootVariable = 'SecureBoot-8be4df61-93ca-11d2-aa0d-00e098032b8c'
/** Attributes come before the value of a variable of UEFI. */
const variableValueAt = 4
const slavesDepthMax = 8

/** What the kernel and package managers show as files, below a root folder. */
export class MachineFiles {
  readonly #root: string

  constructor(root = '/') {
    this.#root = root
  }

  /** The first battery of the machine itself; those of mice and keyboards name a scope. */
  async battery(): Promise<Hardware['battery']> {
    const folder = 'sys/class/power_supply'
    for (const name of (await this.#names(folder)) ?? []) {
      const field = (file: string) => this.#text(`${folder}/${name}/${file}`)
      if ((await field('type')) !== 'Battery' || (await field('scope')) === 'Device') continue
      const [percent, cycles] = [Number(await field('capacity')), Number(await field('cycle_count'))]
      return {
        percent: percent >= 0 && percent <= 100 ? percent : undefined,
        charging: (await field('status')) === 'Charging',
        // Drivers that cannot count say 0.
        cycles: Number.isInteger(cycles) && cycles > 0 ? cycles : undefined,
        condition: word(await field('health'))?.slice(0, 64),
      }
    }
    return undefined
  }

  /** Undefined where the kernel does not support such chips. */
  async tpm(): Promise<Hardware['tpm']> {
    const chips = await this.#names('sys/class/tpm')
    if (chips === undefined) return undefined
    const [chip] = chips
    if (chip === undefined) return { present: false }
    const major = await this.#text(`sys/class/tpm/${chip}/tpm_version_major`)
    return { present: true, version: major === '2' ? '2.0' : major === '1' ? '1.2' : undefined }
  }

  /** Undefined on a machine that started without UEFI. */
  async secureBoot(): Promise<boolean | undefined> {
    const variable = await readFile(this.#path(`sys/firmware/efi/efivars/${secureBootVariable}`)).catch(() => undefined)
    const state = variable?.[variableValueAt]
    return state === undefined ? undefined : state === 1
  }

  /** The packages that want a restart; undefined where the package manager does not note them. */
  async pendingRestart(): Promise<string[] | undefined> {
    if ((await this.#text('run/reboot-required')) === undefined)
      return (await this.#text('var/lib/dpkg/status')) === undefined ? undefined : []
    const packages = (await this.#text('run/reboot-required.pkgs'))?.split('\n').filter((line) => line !== '') ?? []
    const reasons = [...new Set(packages)].map((name) => name.slice(0, 255)).slice(0, 32)
    return reasons.length === 0 ? ['packages'] : reasons
  }

  /** Whether a block device, or one below it, is encrypted by the kernel; undefined for what is not a block device. */
  async encryption(device: string): Promise<DiskEncryption | undefined> {
    const real = await realpath(this.#path(device)).catch(() => undefined)
    if (real === undefined) return undefined
    return this.#encryptionOf(basename(real), 0)
  }

  async #encryptionOf(name: string, depth: number): Promise<DiskEncryption | undefined> {
    const folder = `sys/class/block/${name}`
    if ((await this.#names(folder)) === undefined) return undefined
    if ((await this.#text(`${folder}/dm/uuid`))?.startsWith('CRYPT-') === true) return 'on'
    const below = (await this.#names(`${folder}/slaves`)) ?? []
    if (below.length === 0 || depth >= slavesDepthMax) return 'off'
    const states = await Promise.all(below.map((slave) => this.#encryptionOf(slave, depth + 1)))
    return states.every((state) => state === 'on') ? 'on' : 'off'
  }

  /** Addresses of the default gateways by the names of the interfaces. */
  async gateways(): Promise<Map<string, string[]>> {
    return parseRoutes((await this.#text('proc/net/route')) ?? '')
  }

  #path(path: string): string {
    return join(this.#root, path)
  }

  async #text(path: string): Promise<string | undefined> {
    return readFile(this.#path(path), 'utf8').then(
      (text) => text.trim(),
      () => undefined,
    )
  }

  async #names(path: string): Promise<string[] | undefined> {
    return readdir(this.#path(path)).then(
      (names) => names.sort(),
      () => undefined,
    )
  }
}

/** `/proc/net/route`: interface, destination and gateway, the addresses as hexadecimal numbers of this processor. */
export function parseRoutes(text: string): Map<string, string[]> {
  const gateways = new Map<string, string[]>()
  for (const line of text.split('\n').slice(1)) {
    const [name, destination, gateway = ''] = line.split('\t')
    if (name === undefined || destination !== '00000000' || !/^[\dA-F]{8}$/.test(gateway)) continue
    const address = [...Buffer.from(gateway, 'hex')].reverse().join('.')
    if (address !== '0.0.0.0') gateways.set(name, [...(gateways.get(name) ?? []), address])
  }
  return gateways
}
