import { api } from '../../../api.ts'
import { useStream } from '../../../live/useStream.ts'
import { useRefresh } from '../../../queries.ts'

/** Reads deployments again when they change: all of them, or one. */
export function useLiveDeployments(id?: string): void {
  const refresh = useRefresh()
  useStream<unknown>(
    (handlers) => api.deployments.live.events.subscribe(id === undefined ? {} : { deploymentIds: [id] }, handlers),
    () => void refresh('deployments'),
  )
}
