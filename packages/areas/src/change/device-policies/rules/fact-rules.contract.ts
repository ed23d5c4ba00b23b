// Rules about what agents report beyond the inventory.
import { RegistryValuePlace } from '@muster/wire/commands/registry.ts'
import { serviceName } from '@muster/wire/commands/services.ts'
import { factPath } from '@muster/wire/facts/fact-path.ts'
import { z } from 'zod'

const line = (charsMax: number) =>
  z
    .string()
    .min(1)
    .max(charsMax)
    .regex(/^\P{Cc}*$/u, { error: 'must not contain control characters' })

export const fileFields = {
  /** Absolute, on the devices. */
  path: factPath,
  state: z.enum(['present', 'absent']).default('present'),
  /** Text that the file must have. */
  contains: z.string().min(1).max(1_000).optional(),
  /** Every line of the file that sets it must have this value, and one line must set it. */
  setting: z.strictObject({ name: line(200), value: z.string().max(1_000) }).optional(),
  sha256: z
    .string()
    .regex(/^[0-9a-f]{64}$/, { error: 'must be 64 hexadecimal digits in lower case' })
    .optional(),
  /** Octal, such as 640. Windows has none. */
  mode: z
    .string()
    .regex(/^[0-7]{3,4}$/, { error: 'must be three or four octal digits' })
    .optional(),
  owner: line(255).optional(),
}

interface FileFields {
  readonly state: 'present' | 'absent'
  readonly contains?: string | undefined
  readonly setting?: object | undefined
  readonly sha256?: string | undefined
  readonly mode?: string | undefined
  readonly owner?: string | undefined
}

const contentsOf = ({ contains, setting, sha256 }: FileFields) =>
  [contains, setting, sha256].filter((part) => part !== undefined).length
export const hasOneContent = (rule: FileFields): boolean => contentsOf(rule) <= 1
export const fitsState = (rule: FileFields): boolean =>
  rule.state === 'present' || (contentsOf(rule) === 0 && rule.mode === undefined && rule.owner === undefined)

export const serviceFields = {
  service: serviceName,
  state: z.enum(['running', 'stopped']).optional(),
  startup: z.enum(['automatic', 'manual', 'disabled']).optional(),
}

const { hive, path, name, view } = RegistryValuePlace.shape
/** Of the value `name` of the key `path`. */
export const registryFields = {
  hive,
  path,
  name,
  view,
  state: z.enum(['present', 'absent']).default('present'),
  value: z.union([z.string().max(3_000), z.number(), z.array(z.string().max(1_000)).max(100)]).optional(),
}
