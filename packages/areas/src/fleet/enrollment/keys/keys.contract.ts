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
import { InstallCommands } from '../codes/install-commands.contract.ts'

/** Lets agents enroll into an organization. The key is shown once, when it is created or rotated. */
export const EnrollmentKey = z.object({
  id: id(),
  orgId: id(),
  siteId: id().nullable(),
  /** Set for the single-use key of a provisioned device. */
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
  /** The command that installs the agent on Linux. */
  installCommand: z.string(),
  installCommands: InstallCommands,
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
      /** Null means any number of machines. */
      maxUsage: z.int().min(1).max(1_000_000).nullable().default(1),
      /** Seven days by default. Null means no expiration. */
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
    stepUp: noStepUp('deleting a key only removes access'),
    input: z.object({ id: id() }),
    output: success,
  }),
}
