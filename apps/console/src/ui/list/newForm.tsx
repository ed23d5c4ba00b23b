import { useNavigate, useSearch } from '@tanstack/react-router'
import { Plus } from 'lucide-react'
import type { ReactNode } from 'react'
import { Button } from '../button/Button.tsx'

interface Props {
  readonly blocked: string | false | undefined
  readonly children: ReactNode
  act(): void
}

/** Opens the form of something new. */
export const NewButton = ({ blocked, act, children }: Props) => (
  <Button kind="primary" blocked={blocked} onClick={act}>
    <Plus aria-hidden className="size-4" />
    {children}
  </Button>
)

/**
 * The form of something new, which `form=new` in the address opens.
 * @param blocked why the user cannot create one
 */
export function useNewForm(label: string, blocked: string | undefined) {
  const { form } = useSearch({ strict: false })
  const navigate = useNavigate()
  const set = (next: 'new' | undefined) => void navigate({ to: '.', search: (now) => ({ ...now, form: next }) })
  return {
    button: (
      <NewButton blocked={blocked} act={() => set('new')}>
        {label}
      </NewButton>
    ),
    isOpen: form === 'new' && blocked === undefined,
    close: () => set(undefined),
  }
}
