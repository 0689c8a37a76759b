/** What an OpenAI-compatible provider checks of a conversation, as a test's own reading of the rules (C14). */
interface Message {
  readonly role: string;
  readonly content?: string | null;
  readonly tool_calls?: readonly { readonly id: string }[];
  readonly tool_call_id?: string;
}

export function messagesOf(body: Uint8Array): Message[] {
  return (JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body)) as { messages: Message[] }).messages;
}

/** What a provider would refuse it for; empty: accepted. */
export function complaints(body: Uint8Array): string[] {
  const out: string[] = [];
  let open: string[] = [];
  for (const [i, m] of messagesOf(body).entries()) {
    if (m.role === 'tool') {
      if (m.tool_call_id === undefined || !open.includes(m.tool_call_id)) out.push(`message ${i} is an orphan result`);
      open = open.filter((id) => id !== m.tool_call_id);
      continue;
    }
    if (open.length > 0) out.push(`message ${i} comes before the results of ${open.join(', ')}`);
    open = (m.tool_calls ?? []).map((c) => c.id);
    if (m.role === 'system' && i > 0) out.push(`message ${i} is a second system message`);
  }
  if (open.length > 0) out.push(`calls without a result: ${open.join(', ')}`);
  return out;
}
