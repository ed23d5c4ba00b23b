// Facts: what a machine reports about single files, services, values and protections, for rules that the server judges.
import { z } from 'zod'
import { RegistryValuePlace } from '../commands/registry.ts'
import { serviceName } from '../commands/services.ts'
import { factBytesMax } from '../limits.ts'
import { DiskEncryption } from '../messages/inventory.ts'
import { text } from '../scalars.ts'
import { factPath } from './fact-path.ts'

/** What the server wants to know about a file beside its mode and owner: at most one of the three. */
export const FileFact = z.object({
  type: z.literal('file'),
  path: factPath,
  /** Whether the file has this text. */
  contains: text(1_000).min(1).optional(),
  /** The values of a setting with this name. */
  setting: text(200).min(1).optional(),
  sha256: z.literal(true).optional(),
})
export type FileFact = z.infer<typeof FileFact>

export const ServiceFact = z.object({ type: z.literal('service'), name: serviceName })
export const RegistryFact = RegistryValuePlace.extend({ type: z.literal('registry') })
export const FirewallFact = z.object({ type: z.literal('firewall') })
/** Of the volume with the operating system. */
export const EncryptionFact = z.object({ type: z.literal('encryption') })

export const Fact = z.discriminatedUnion('type', [FileFact, ServiceFact, RegistryFact, FirewallFact, EncryptionFact])
export type Fact = z.infer<typeof Fact>

export const FileValue = z.object({
  type: z.literal('file'),
  /** Links are followed. `other`: a socket, a pipe or a device. */
  kind: z.enum(['file', 'folder', 'other', 'absent']),
  /** Four octal digits; absent where the system has no modes. */
  mode: z
    .string()
    .regex(/^[0-7]{4}$/)
    .optional(),
  owner: text(255).optional(),
  group: text(255).optional(),
  bytes: z.int().min(0).optional(),
  contains: z.boolean().optional(),
  /** In the order of the file; empty when it does not have the setting. */
  settings: z.array(text(factBytesMax)).max(200).optional(),
  sha256: z
    .string()
    .regex(/^[0-9a-f]{64}$/)
    .optional(),
})
export type FileValue = z.infer<typeof FileValue>

export const ServiceValue = z.object({
  type: z.literal('service'),
  state: z.enum(['running', 'stopped', 'absent']),
  startup: z.enum(['automatic', 'manual', 'disabled']).optional(),
  /** The words of the system, such as `failed` or `masked`. */
  detail: text(255).optional(),
})
export type ServiceValue = z.infer<typeof ServiceValue>

export const RegistryFactValue = z.object({
  type: z.literal('registry'),
  present: z.boolean(),
  valueType: text(64).optional(),
  data: z.union([text(factBytesMax), z.number(), z.array(text(factBytesMax)).max(1_000)]).optional(),
})
export type RegistryFactValue = z.infer<typeof RegistryFactValue>

export const FirewallValue = z.object({
  type: z.literal('firewall'),
  /** Whether connections from outside are refused unless a rule allows them. */
  on: z.boolean(),
  product: text(64).optional(),
  detail: text(255).optional(),
})
export type FirewallValue = z.infer<typeof FirewallValue>

export const EncryptionValue = z.object({
  type: z.literal('encryption'),
  state: DiskEncryption,
  product: text(64).optional(),
})
export type EncryptionValue = z.infer<typeof EncryptionValue>

export const FactValue = z.discriminatedUnion('type', [
  FileValue,
  ServiceValue,
  RegistryFactValue,
  FirewallValue,
  EncryptionValue,
])
export type FactValue = z.infer<typeof FactValue>

/** Why a machine could not look: a code, a colon and words. */
const Unknown = z.object({ type: z.literal('unknown'), why: text(500) })

const encoder = new TextEncoder()
export const factBytes = (found: FactFinding): number => encoder.encode(JSON.stringify(found)).length

export const FactFinding = z.discriminatedUnion('type', [...FactValue.options, Unknown])
export type FactFinding = z.infer<typeof FactFinding>

/** 32 hexadecimal digits, made of the fact, so that equal facts of several rules are one. */
const factId = z.string().regex(/^[0-9a-f]{32}$/)

export const AssignedFact = z.object({ id: factId, fact: Fact })
export type AssignedFact = z.infer<typeof AssignedFact>
