import { z } from 'zod'
import { CertificateCheck, DiskCheck, EventLogCheck, ProcessCheck, ServiceCheck } from '../checks/local-checks.ts'
import { DnsCheck, HttpCheck, PingCheck, TcpCheck } from '../checks/probes.ts'
import { AssignedFact } from '../facts/facts.ts'
import { assignedChecksMax, factsMax, orderedFrameBytesMax, sequenceMax } from '../limits.ts'
import { defineMessage } from '../message.ts'
import { text } from '../scalars.ts'

export const Check = z.discriminatedUnion('type', [
  PingCheck,
  TcpCheck,
  HttpCheck,
  DnsCheck,
  ServiceCheck,
  ProcessCheck,
  DiskCheck,
  EventLogCheck,
  CertificateCheck,
])
export type Check = z.infer<typeof Check>

export const AssignedCheck = z.object({
  id: text(100).min(1),
  everySeconds: z.int().min(10).max(86_400),
  timeoutSeconds: z.int().min(1).max(60),
  /** A slower answer is `degraded`. */
  degradedMs: z.int().min(1).max(60_000).optional(),
  /** Whether it may reach the machine itself by the network, because a person chose this machine for it. */
  pinned: z.boolean().optional(),
  /** The first failing rounds in a row, up to this number, are reported at once: they decide whether the target is offline. */
  confirmRounds: z.int().min(1).max(100).optional(),
  check: Check,
})
export type AssignedCheck = z.infer<typeof AssignedCheck>

/** What assigns checks. Each kind replaces only its own. */
export const CheckKind = z.enum(['rules', 'monitors'])
export type CheckKind = z.infer<typeof CheckKind>

/** Grows with every change of the items of this device and kind. */
const revision = z.int().min(1).max(sequenceMax)

export const CheckAssignment = z.object({
  kind: CheckKind,
  revision,
  items: z.array(AssignedCheck).max(assignedChecksMax),
})
export type CheckAssignment = z.infer<typeof CheckAssignment>

/** Facts to watch. The agent keeps them on its disk. */
export const FactAssignment = z.object({
  kind: z.literal('facts'),
  revision,
  items: z.array(AssignedFact).max(factsMax),
})
export type FactAssignment = z.infer<typeof FactAssignment>

export const Assignment = z.discriminatedUnion('kind', [CheckAssignment, FactAssignment])
export type Assignment = z.infer<typeof Assignment>
export type AssignmentKind = Assignment['kind']

export const assignment = defineMessage({
  name: 'assignment',
  type: 15,
  meaning: 'The checks to repeat and the facts to watch from now on. They replace the earlier ones of the same kind.',
  sequenced: false,
  bytesMax: orderedFrameBytesMax,
  body: Assignment,
})
