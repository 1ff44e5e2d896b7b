// Who hears the answer of a session: from its key as the host built it and the host's own context, never from a text.
//
// OpenClaw leaves MEMORY.md out of the system prompt of groups, channels, sub-agents and cron jobs (in its
// filterBootstrapFilesForSession). This is the same rule, made to fail closed: a session of a kind that is not in this
// table is nobody's, and a direct session is the owner's only if the sender is one of `commands.ownerAllowFrom`.
//
//   key after `agent:ID:`, without `:thread:…`            who begins it                       audience
//   cron: subagent: acp: hook: harness: heartbeat: …      the host, another agent, a webhook  machine
//   CHANNEL[:ACCOUNT]:group:ID, group:ID, …@g.us          a group                             group
//   CHANNEL[:ACCOUNT]:channel:ID, channel:ID, room:ID     a channel                           channel
//   CHANNEL[:ACCOUNT]:direct:ID, direct:ID (or dm)        one person (session.dmScope)        owner, or person
//   main, or session.mainKey                              all direct messages, Control UI,    owner, unless another person
//                                                         terminal, `openclaw agent`          or a group shares it
//   openai-user:… openai:… openresponses…, explicit:…     who has the gateway's token         owner
//   tui-… dashboard:…, any other in the Control UI        who is signed in to the gateway     owner
//   global (session.scope)                                everybody                           owner in the Control UI alone
//   anything else                                         ?                                   unknown
const MACHINE = /^(?:cron|subagent|acp|hook|harness|heartbeat|boot|dreaming|internal)(?::|$)|(?:^|:)(?:subagent|heartbeat)(?::|$)/;
const CHANNEL = /(?:^|:)(?:channel|room):|(?:^|:)guild-[^:]+:channel-/;
const GROUP = /(?:^|:)group:|@g\.us(?:$|:)/;
const DIRECT = /^(?:[^:]+:){0,2}(?:direct|dm):(.+)$/;
const GATEWAY = /^(?:(?:openai|openresponses)(?:-user)?|explicit|dashboard):|^tui-/;
const INSIDE = new Set(["", "webchat", "internal", "cli", "tui"]); // no chat network: the gateway's own doors

export function audienceOf(sessionKey, ctx, config) {
  const key = (sessionKey ?? "").toLowerCase().replace(/^agent:[^:]*:/, "").replace(/:thread:.*$/, "");
  const provider = String(ctx?.messageProvider ?? "").trim().toLowerCase();
  if (MACHINE.test(key) || ctx?.inputProvenance?.kind === "inter_session") return "machine";
  if (GROUP.test(key)) return "group";
  if (CHANNEL.test(key)) return "channel";
  if (key.startsWith("agent:")) return "unknown"; // a key within a key
  const peer = DIRECT.exec(key)?.[1];
  if (peer) return isOwner(ctx?.senderId ?? peer, provider || key.split(":")[0], config) ? "owner" : "person";
  if (GATEWAY.test(key) || provider === "webchat") return "owner";
  if (INSIDE.has(provider)) return isMain(key, config) ? "owner" : "unknown";
  if (!isMain(key, config) || roomsShareMain(config)) return "unknown";
  // One session for all direct messages: the host takes those who may write there for one person, unless owners are named.
  return !owners(config).length || ctx?.senderId === undefined || isOwner(ctx.senderId, provider, config) ? "owner" : "person";
}

function isMain(key, config) {
  return key === "main" || key === String(config?.session?.mainKey ?? "main").trim().toLowerCase();
}

function roomsShareMain(config) {
  const sessions = [config?.session, ...(Array.isArray(config?.bindings) ? config.bindings.map((one) => one?.session) : [])];
  return sessions.some((session) => session?.groupScope === "main");
}

function owners(config) {
  const listed = config?.commands?.ownerAllowFrom;
  return (Array.isArray(listed) ? listed : []).map(plain).filter((one) => one && !one.endsWith("*"));
}

// An entry is an id, or an id on one channel: "discord:4711".
function isOwner(sender, channel, config) {
  const within = (id) => (id.startsWith(`${channel}:`) ? id.slice(channel.length + 1) : id).replace(/^user:/, "").replace(/^\+/, "");
  return owners(config).some((one) => within(one) === within(plain(sender)));
}

function plain(id) {
  return String(id).trim().toLowerCase().replace(/@s\.whatsapp\.net$/, "");
}
