import type { approval } from '@muster/areas/change/deployments/course/course.contract.ts'
import type { z } from 'zod'
import { api } from '../../../api.ts'
import { useApiMutation } from '../../../queries.ts'
import { toast } from '../../../ui/dialog/toasts.tsx'

const refresh = ['deployments']
interface Answer {
  readonly approval: z.infer<typeof approval>
}
/** Says that a second person is asked, else what was done. */
const told =
  (words: string) =>
  ({ approval: asked }: Answer): void =>
    toast(asked === null ? words : 'Another person has to approve this')

/** The steps that a person takes with a deployment. */
export function useSteps(id: string) {
  const { deployments, course, devices } = api.deployments
  return {
    initialize: useApiMutation(() => deployments.initialize.mutate({ id }), {
      refresh,
      done: () => toast('Batches drawn'),
    }),
    start: useApiMutation(() => course.start.mutate({ id }), { refresh, done: told('Deployment started') }),
    pause: useApiMutation(() => course.pause.mutate({ id }), { refresh, done: () => toast('Deployment paused') }),
    resume: useApiMutation(() => course.resume.mutate({ id }), { refresh, done: told('Deployment resumed') }),
    pass: useApiMutation((number: number) => course.pass.mutate({ id, number }), {
      refresh,
      done: () => toast('Gate passed'),
    }),
    cancel: useApiMutation((stopRunning: boolean) => course.cancel.mutate({ id, stopRunning }), {
      refresh,
      done: () => toast('Deployment canceled'),
    }),
    retry: useApiMutation((deviceId: string) => devices.retry.mutate({ id, deviceId }), {
      refresh,
      done: told('The device is sent the order again'),
    }),
  }
}
