import { id } from '@muster/kit/contract.ts'
import { z } from 'zod'
import { ParameterValue } from './parameters.contract.ts'
import { RunAs, versionInput } from './scripts.contract.ts'

/** The run of a script, as the order of a deployment. */
export const ScriptOrder = z.strictObject({
  kind: z.literal('script'),
  scriptId: id(),
  /** The approved version when the deployment is started, unless given. */
  versionId: id().optional(),
  parameters: z.record(z.string().max(63), ParameterValue).optional(),
  /** Of the version unless given, as the fields below. */
  args: versionInput.args.optional(),
  runAs: RunAs.optional(),
  timeoutSeconds: versionInput.timeoutSeconds.optional(),
})
export type ScriptOrder = z.infer<typeof ScriptOrder>
