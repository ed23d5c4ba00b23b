import { password } from '@muster/areas/access/auth/sign-in/password.contract.ts'
import { api } from '../../../api.ts'
import { useApiMutation } from '../../../queries.ts'
import { endSession } from '../../../session/credential.ts'
import { Button } from '../../../ui/Button.tsx'
import { Card } from '../../../ui/display.tsx'
import { Form } from '../../../ui/Form.tsx'
import { TextField } from '../../../ui/fields.tsx'
import { useSchemaForm } from '../../../ui/form.ts'
import { Refusal } from '../../../ui/states.tsx'
import { toast } from '../../../ui/toasts.tsx'

export function Password() {
  const form = useSchemaForm(password.change.input, { currentPassword: '', newPassword: '' })
  const { errors } = form.formState
  const change = useApiMutation(
    (given: { currentPassword: string; newPassword: string }) => api.auth.password.change.mutate(given),
    {
      done() {
        toast('Password changed. Sign in with the new password')
        endSession('signed-out')
      },
    },
  )
  return (
    <Card title="Password">
      <Form submit={form.handleSubmit((given) => change.mutate(given))}>
        <TextField
          label="Current password"
          type="password"
          autoComplete="current-password"
          error={errors.currentPassword && 'Enter your current password'}
          {...form.register('currentPassword')}
        />
        <TextField
          label="New password"
          type="password"
          autoComplete="new-password"
          hint="All your sessions end, including this one."
          error={errors.newPassword && 'Enter a new password'}
          {...form.register('newPassword')}
        />
        <Refusal error={change.error} />
        <span>
          <Button type="submit" busy={change.isPending}>
            Change password
          </Button>
        </span>
      </Form>
    </Card>
  )
}
