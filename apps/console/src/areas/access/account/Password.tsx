import { password } from '@muster/areas/access/auth/sign-in/password.contract.ts'
import { api } from '../../../api.ts'
import { useApiMutation } from '../../../queries.ts'
import { endSession } from '../../../session/credential.ts'
import { Button } from '../../../ui/button/Button.tsx'
import { toast } from '../../../ui/dialog/toasts.tsx'
import { Form } from '../../../ui/form/Form.tsx'
import { TextField } from '../../../ui/form/fields.tsx'
import { useSchemaForm } from '../../../ui/form/form.ts'
import { Card } from '../../../ui/page/display.tsx'
import { Refusal } from '../../../ui/page/states.tsx'

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
