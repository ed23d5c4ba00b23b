// Checks of the machine itself, and of certificates that it can see.
import { z } from 'zod'
import { text } from '../scalars.ts'

export const ServiceCheck = z.object({ type: z.literal('service'), name: text(255).min(1) })
export const ProcessCheck = z.object({
  type: z.literal('process'),
  name: text(255).min(1),
  min: z.int().min(0).max(100_000),
  max: z.int().min(0).max(100_000).optional(),
})
export const DiskCheck = z.object({
  type: z.literal('disk'),
  mount: text(1_024).min(1),
  freePercent: z.number().min(0).max(100),
})
export const EventLogCheck = z.object({
  type: z.literal('eventLog'),
  log: text(255).min(1),
  text: text(500).min(1),
  count: z.int().min(1).max(10_000),
  windowSeconds: z.int().min(60).max(86_400),
})
export const CertificateCheck = z.object({
  type: z.literal('certificate'),
  host: text(253).min(1),
  port: z.int().min(1).max(65_535),
  days: z.int().min(1).max(365),
})
