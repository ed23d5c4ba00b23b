import { id } from '@muster/kit/contract.ts'
import { z } from 'zod'
import { OriginKind } from './plans/origin.contract.ts'

/** What commands do the work of, such as a kept script or a deployment. Its area knows the further fields. */
export const CommandSubject = z.looseObject({ kind: z.enum(['script', ...OriginKind.options]), id: id() })
export type CommandSubject = z.infer<typeof CommandSubject>
