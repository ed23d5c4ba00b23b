import {
  can,
  create,
  del,
  get,
  id,
  moment,
  nameText,
  noStepUp,
  page,
  pageOf,
  post,
  stepUpWhen,
  success,
  time,
} from '@muster/kit/contract.ts'
import { z } from 'zod'

/** Lets agents into an organisation. The key itself is shown once, when it is made or rotated. */
export const EnrollmentKey = z.object({
  id: id(),
  orgId: id(),
  siteId: id().nullable(),
  /** Set on the single-use key of a prepared device. */
  deviceId: id().nullable(),
  name: z.string(),
  keyPrefix: z.string(),
  usageCount: z.number(),
  maxUsage: z.number().nullable(),
  expiresAt: time().nullable(),
  createdBy: id().nullable(),
  createdAt: time(),
  updatedAt: time(),
})
export type EnrollmentKey = z.infer<typeof EnrollmentKey>

const RevealedKey = EnrollmentKey.extend({
  key: z.string(),
  /** The line that installs the agent with it on a Linux machine. */
  installCommand: z.string(),
})

const unlimited = stepUpWhen(
  'the key has no end or no limit of uses, or is good for more than 1,000 machines or 90 days',
)

export const keys = {
  list: get('/enrollment-keys', {
    summary: 'List enrollment keys, newest first',
    access: can('devices:read'),
    input: z.object({ orgId: id().optional(), siteId: id().optional(), ...page }),
    output: pageOf(EnrollmentKey),
  }),
  get: get('/enrollment-keys/:id', {
    summary: 'Get an enrollment key without its secret',
    access: can('devices:read'),
    input: z.object({ id: id() }),
    output: EnrollmentKey,
  }),
  create: create('/enrollment-keys', {
    summary: 'Create an enrollment key. The key is shown only once',
    access: can('devices:write'),
    audit: 'enrollment_key.create',
    stepUp: unlimited,
    input: z.object({
      orgId: id(),
      siteId: id().nullable().default(null),
      name: nameText(),
      /** Null: any number of machines. */
      maxUsage: z.int().min(1).max(1_000_000).nullable().default(1),
      /** Left out: in seven days. Null: never. */
      expiresAt: moment().nullable().optional(),
    }),
    output: RevealedKey,
  }),
  rotate: post('/enrollment-keys/:id/rotate', {
    summary: 'Rotate an enrollment key at once. Limits and uses stay; its install codes end',
    access: can('devices:write'),
    audit: 'enrollment_key.rotate',
    stepUp: unlimited,
    input: z.object({ id: id() }),
    output: RevealedKey,
  }),
  remove: del('/enrollment-keys/:id', {
    summary: 'Delete an enrollment key. Devices that enrolled with it stay',
    access: can('devices:write'),
    audit: 'enrollment_key.delete',
    stepUp: noStepUp('it takes a key away'),
    input: z.object({ id: id() }),
    output: success,
  }),
}
