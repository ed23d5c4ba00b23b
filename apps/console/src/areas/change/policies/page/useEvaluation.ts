import { api } from '../../../../api.ts'
import { useApiMutation } from '../../../../queries.ts'
import { toast } from '../../../../ui/dialog/toasts.tsx'
import { count, many } from '../../../../ui/text/quantity.ts'

/** Evaluates a policy on the devices that are given, or on all of its devices. */
export const useEvaluation = (id: string) =>
  useApiMutation(
    (deviceIds: string[] | undefined) =>
      api.policies.compliance.evaluate.mutate({ id, ...(deviceIds && { deviceIds }) }),
    {
      refresh: ['policies'],
      done(answer) {
        if ('queued' in answer) return toast(`${many(answer.devices, 'device')} queued for evaluation`)
        const { evaluated, compliant, nonCompliant } = answer
        toast(`${many(evaluated, 'device')} evaluated: ${count(compliant)} compliant, ${count(nonCompliant)} not`)
      },
    },
  )
