import type { RunDevice } from '../actions/action-kind.ts'
import type { RunPlan, StoredRun } from './stored-run.ts'

/** What templates see. Without an event, a body or a device the name is absent, and a template that takes it fails. */
export const scopeOf = (
  { id, automationId, event, body }: Pick<StoredRun, 'id' | 'automationId' | 'event' | 'body'>,
  { name }: Pick<RunPlan, 'name'>,
  device: RunDevice | null,
) => ({
  run: { id },
  automation: { id: automationId, name },
  ...(event === null ? {} : { event }),
  ...(body === null ? {} : { body }),
  ...(device === null ? {} : { device: device.fields }),
})
