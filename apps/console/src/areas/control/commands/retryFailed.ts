import { QueuedCommand } from '@muster/areas/control/commands/commands.contract.ts'
import { api } from '../../../api.ts'

export const failedStatuses = ['failed', 'timed_out', 'expired'] as const
const perPage = 100

/** Sends the command of a bulk request again to the devices on which it failed. */
export async function retryFailed(batchId: string) {
  const deviceIds: string[] = []
  let sample: string | undefined
  for (let page = 1; ; page++) {
    const { commands } = await api.devices.commands.progress.query({
      batchId,
      status: [...failedStatuses],
      page,
      limit: perPage,
    })
    deviceIds.push(...commands.map(({ deviceId }) => deviceId))
    sample ??= commands[0]?.id
    if (commands.length < perPage) break
  }
  const [deviceId] = deviceIds
  if (deviceId === undefined || sample === undefined) throw new Error('No device failed')
  const { type, payload, timeoutMs } = await api.devices.commands.get.query({ id: deviceId, commandId: sample })
  if (payload === null) throw new Error('You don’t have permission to see the content of this command')
  return api.devices.commands.bulk.mutate({ deviceIds, type: QueuedCommand.parse(type), payload, timeoutMs })
}
