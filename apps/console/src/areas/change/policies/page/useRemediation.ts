import { api } from '../../../../api.ts'
import { useApiMutation } from '../../../../queries.ts'
import { toast } from '../../../../ui/dialog/toasts.tsx'
import { many } from '../../../../ui/text/quantity.ts'

/** Sends the remediations of a policy to the devices that are given, or to all that do not keep it. */
export const useRemediation = (id: string) =>
  useApiMutation(
    (deviceIds: string[] | undefined) =>
      api.policies.remediation.remediate.mutate({ id, ...(deviceIds && { deviceIds }) }),
    {
      refresh: ['policies', 'deployments'],
      done({ approval, devices }) {
        toast(
          approval === null
            ? `Remediation of ${many(devices, 'device')} started`
            : 'Another person has to approve this',
        )
      },
    },
  )
