import { api } from '../../../api.ts'
import { useApiMutation } from '../../../queries.ts'
import { toast } from '../../../ui/dialog/toasts.tsx'
import { toastError } from '../../../ui/page/states.tsx'

const refresh = ['notifications.deviceWatches']

/** Starts and stops to wait for a device to be online again. */
export function useWatching() {
  const begin = useApiMutation((id: string) => api.notifications.deviceWatches.create.mutate({ id }), {
    refresh,
    done: () => toast('You are notified when the device is online again'),
  })
  const end = useApiMutation((id: string) => api.notifications.deviceWatches.remove.mutate({ id }), {
    refresh,
    done: () => toast('Device watch deleted'),
  })
  return {
    start: (deviceId: string) => begin.mutate(deviceId, { onError: toastError }),
    stop: (deviceId: string) => end.mutate(deviceId, { onError: toastError }),
    busy: begin.isPending || end.isPending,
  }
}
