package io.tidemark.journal;

import java.io.IOException;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.FileChannel;
import java.nio.file.FileSystemException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * File handles, opened when needed and bounded in number: the one unused for longest is closed
 * first. Handles in use are never closed, so the bound may be exceeded by the number of threads.
 *
 * <p>Readers and writers have handles of their own: an interrupt closes the handle under a thread,
 * and an interrupted reader must not fail a write.
 */
final class OpenFiles implements AutoCloseable {
  enum Access {
    READ,
    WRITE
  }

  interface Action<T> {
    T on(FileChannel channel) throws IOException;
  }

  interface Opening<T> {
    T run() throws IOException;
  }

  private record Key(Path file, Access access) {}

  private static final class Handle {
    final FileChannel channel;
    int users;
    boolean retired;

    Handle(FileChannel channel) {
      this.channel = channel;
    }
  }

  private int limit;
  private final Map<Key, Handle> handles = new LinkedHashMap<>(64, 0.75f, true);

  private volatile IOException unusable;

  OpenFiles(int limit) {
    this.limit = limit;
  }

  /** From now on no file is touched any more: every use fails with this. */
  void giveUp(IOException cause) {
    unusable = cause;
  }

  boolean isUsable() {
    return unusable == null;
  }

  /**
   * @throws IOException when files must not be touched any more
   */
  void check() throws IOException {
    IOException cause = unusable;
    if (cause != null) {
      throw new IOException(cause.getMessage(), cause);
    }
  }

  /**
   * Runs what opens files of its own, and once more when the process may have too many open: then
   * those that nobody uses are closed first.
   *
   * @param action does no harm when it is done twice
   */
  <T> T opening(Opening<T> action) throws IOException {
    check();
    try {
      return action.run();
    } catch (FileSystemException e) {
      // Only the cases that Java tells apart have a class of their own; this one has not.
      if (e.getClass() != FileSystemException.class || !giveBack()) {
        throw e;
      }
      return action.run();
    }
  }

  /** The process may open fewer files than was thought: half of them have to do from now on. */
  private synchronized boolean giveBack() throws IOException {
    limit = Math.max(2, Math.min(limit, handles.size() / 2));
    return closeUnusedAbove(limit);
  }

  /** Runs the action with the file's channel, which stays open meanwhile. */
  <T> T use(Path file, Access access, Action<T> action) throws IOException {
    check();
    Key key = new Key(file, access);
    for (boolean retry = access == Access.READ; ; retry = false) {
      Handle handle = acquire(key);
      try {
        return action.on(handle.channel);
      } catch (ClosedByInterruptException e) {
        retire(key, handle);
        throw e;
      } catch (ClosedChannelException e) {
        retire(key, handle);
        if (!retry) {
          throw e;
        }
      } finally {
        release(handle);
      }
    }
  }

  private synchronized Handle acquire(Key key) throws IOException {
    Handle handle = handles.get(key);
    if (handle == null) {
      handle = new Handle(opening(() -> open(key)));
      handles.put(key, handle);
    }
    handle.users++;
    closeUnusedAbove(limit);
    return handle;
  }

  private static FileChannel open(Key key) throws IOException {
    return key.access == Access.READ
        ? FileChannel.open(key.file, StandardOpenOption.READ)
        : FileChannel.open(key.file, StandardOpenOption.READ, StandardOpenOption.WRITE);
  }

  /** Whether any was closed. */
  private synchronized boolean closeUnusedAbove(int kept) throws IOException {
    boolean closed = false;
    Iterator<Handle> oldestFirst = handles.values().iterator();
    while (handles.size() > kept && oldestFirst.hasNext()) {
      Handle candidate = oldestFirst.next();
      if (candidate.users == 0) {
        oldestFirst.remove();
        candidate.channel.close();
        closed = true;
      }
    }
    return closed;
  }

  private synchronized void release(Handle handle) throws IOException {
    handle.users--;
    if (handle.retired && handle.users == 0) {
      handle.channel.close();
    }
  }

  private synchronized void retire(Key key, Handle handle) {
    handle.retired = true;
    handles.remove(key, handle);
  }

  /** The file is gone: its handles are closed as soon as nobody uses them. */
  synchronized void forget(Path file) throws IOException {
    for (Access access : Access.values()) {
      Key key = new Key(file, access);
      Handle handle = handles.get(key);
      if (handle != null) {
        retire(key, handle);
        if (handle.users == 0) {
          handle.channel.close();
        }
      }
    }
  }

  synchronized int size() {
    return handles.size();
  }

  @Override
  public synchronized void close() throws IOException {
    List<Handle> all = new ArrayList<>(handles.values());
    handles.clear();
    for (Handle handle : all) {
      handle.channel.close();
    }
  }
}
