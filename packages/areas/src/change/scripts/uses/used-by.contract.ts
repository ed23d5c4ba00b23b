import { id } from '@muster/kit/contract.ts'
import { z } from 'zod'

/** What keeps a script from being deleted. Each kind is contributed by its area; see background/script-use.ts. */
export const UsedBy = z.object({
  kind: z.enum(['execution', 'approval', 'deployment', 'automation', 'policy']),
  id: id(),
  /** Of an execution, the host name of its device; of an approval, the kind of its command. */
  name: z.string(),
})
export type UsedBy = z.infer<typeof UsedBy>
