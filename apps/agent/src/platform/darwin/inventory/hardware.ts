import { cpus, totalmem } from 'node:os'
import type { Hardware } from '@muster/wire/messages/inventory.ts'
import { whole, word } from '../../inventory-values.ts'
import { type Mac, printed } from '../mac.ts'
import { type Profile, type ProfileItem, partOf, readProfile } from '../profile.ts'
import { readPlatformExpert } from '../system.ts'

const dataTypes = ['SPHardwareDataType', 'SPDisplaysDataType', 'SPPowerDataType']
const kernelFigures = ['hw.physicalcpu', 'hw.logicalcpu', 'hw.cpufrequency', 'hw.model', 'kern.hv_vmm_present']
const graphicsMax = 32
/** Words in the names of models, and the form of their cases. */
const forms: readonly [RegExp, string][] = [
  [/MacBook/, 'Notebook'],
  [/iMac/, 'All In One'],
  [/Mac ?Pro/, 'Tower'],
  [/Mac ?mini|Mac Studio/, 'Desktop'],
]

export async function collectHardware(mac: Mac): Promise<Hardware> {
  const [profile, expert] = [await readProfile(mac, dataTypes), await readPlatformExpert(mac)]
  const kernel = parseSysctl(await printed(mac, 'sysctl', kernelFigures))
  const [overview = {}] = profile('SPHardwareDataType')
  const name = word(overview.machine_name)
  const [processor] = cpus()
  return {
    manufacturer: word(expert.get('manufacturer')) ?? 'Apple Inc.',
    model: modelOf(name, word(overview.machine_model) ?? kernel.get('hw.model')),
    serialNumber: word(overview.serial_number) ?? word(expert.get('IOPlatformSerialNumber')),
    chassis: forms.find(([pattern]) => pattern.test(name ?? ''))?.[1],
    virtual: kernel.get('kern.hv_vmm_present') === '1',
    biosVendor: 'Apple',
    biosVersion: word(overview.boot_rom_version),
    cpuModel: word(overview.chip_type) ?? word(processor?.model) ?? word(overview.cpu_type),
    cpuCores: whole(Number(kernel.get('hw.physicalcpu'))),
    cpuThreads: whole(Number(kernel.get('hw.logicalcpu'))) ?? whole(cpus().length),
    // Only Intel processors have a fixed one.
    cpuMhz: whole(Number(kernel.get('hw.cpufrequency')) / 1_000_000),
    memoryBytes: whole(totalmem()),
    graphics: graphicsOf(profile),
    battery: batteryOf(profile, await printed(mac, 'pmset', ['-g', 'batt'])),
    protections: await collectProtections(mac),
  }
}

/** `key: value` per line; a figure that this Mac lacks has no line. */
export function parseSysctl(text: string): Map<string, string> {
  return new Map([...text.matchAll(/^([\w.]+): (.*\S)\s*$/gm)].map(([, key = '', value = '']) => [key, value]))
}

/** `MacBook Air (MacBookAir10,1)` */
function modelOf(name: string | undefined, identifier: string | undefined): string | undefined {
  if (name === undefined || identifier === undefined) return name ?? identifier
  return `${name} (${identifier})`.slice(0, 255)
}

function graphicsOf(profile: Profile): string[] {
  return profile('SPDisplaysDataType')
    .flatMap((item) => word(item.sppci_model) ?? word(item._name) ?? [])
    .slice(0, graphicsMax)
}

/** The health from the report, and the charge from `pmset`. Undefined without a battery inside. */
export function batteryOf(profile: Profile, charge: string): Hardware['battery'] {
  const battery = profile('SPPowerDataType').find((item) => 'sppower_battery_health_info' in item)
  const health = partOf(battery, 'sppower_battery_health_info')
  const [, percent, state] = /InternalBattery[^\n]*?\s(\d{1,3})%; *([^;\n]*)/.exec(charge) ?? []
  if (battery === undefined && percent === undefined) return undefined
  return {
    percent: percent === undefined ? undefined : Math.min(100, Number(percent)),
    charging: state === undefined ? undefined : /^(charging|finishing charge)$/.test(state.trim()),
    cycles: cyclesOf(health),
    condition: word(health.sppower_battery_health)?.slice(0, 64),
  }
}

function cyclesOf({ sppower_battery_cycle_count: cycles }: ProfileItem): number | undefined {
  return typeof cycles === 'number' && Number.isInteger(cycles) && cycles >= 0 ? cycles : undefined
}

/** FileVault, System Integrity Protection and Gatekeeper; one that does not answer is left out. */
async function collectProtections(mac: Mac): Promise<NonNullable<Hardware['protections']>> {
  const [encryption, integrity, gatekeeper] = [
    parseFileVault(await printed(mac, 'fdesetup', ['status'])),
    parseIntegrity(await printed(mac, 'csrutil', ['status'])),
    parseGatekeeper(await printed(mac, 'spctl', ['--status'])),
  ]
  return [
    { name: 'FileVault', state: encryption },
    { name: 'System Integrity Protection', state: integrity },
    { name: 'Gatekeeper', state: gatekeeper },
  ].flatMap(({ name, state }) => (state === undefined ? [] : [{ name, state }]))
}

export function parseFileVault(text: string): string | undefined {
  const progress = /(Encryption|Decryption) in progress: Percent completed = ([\d.,]+)/.exec(text)
  if (progress !== null) return `${progress[1]} at ${Math.floor(Number(progress[2]?.replace(',', '.')))} %`
  return /FileVault is (On|Off)/.exec(text)?.[1]?.toLowerCase()
}

export const parseIntegrity = (text: string): string | undefined =>
  /Protection status: (\w+)/.exec(text)?.[1]?.toLowerCase()

export const parseGatekeeper = (text: string): string | undefined => /assessments (enabled|disabled)/.exec(text)?.[1]
